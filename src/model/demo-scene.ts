/** The fixed rules of the demo model: phrases in Chinese and English, and the steps they start. */
import { z } from 'zod'
import type { ToolSpec } from '../protocol/model.ts'
import { background, backgroundEnded } from './demo-background-scenes.ts'
import { toolCall } from './demo-call-scene.ts'
import { list, read, report, search, send } from './demo-file-scenes.ts'
import { recall, remember } from './demo-memory-scenes.ts'
import { sales, schedule, schedules } from './demo-schedule-scenes.ts'
import { browse, typeOnDesktop } from './demo-screen-scenes.ts'
import { block, type DemoReply, type Scene, type Stage, type Step } from './demo-stage.ts'
import { team, teammate } from './demo-team-scenes.ts'
import type { DemoTurn } from './demo-turn.ts'
import { approvals, command, todo } from './demo-work-scenes.ts'
import { language, look, task, terminal, workOf, workSteps } from './demo-workbench-scenes.ts'

const schemaShape = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) })

/** Decides the next reply of a turn. Pure. A failed or refused step ends the scene, said plainly. */
export function nextReply(
  turn: DemoTurn,
  tools: readonly ToolSpec[],
  { text, weekStart }: Pick<Stage, 'text' | 'weekStart'>,
): DemoReply {
  const last = turn.results.at(-1)
  if (last?.isError) {
    const why = text(`demo.failed.${failureOf(last.errorType)}`)
    return { say: text('demo.failed', { tool: last.call.name, why, result: block(last.text) }) }
  }
  const names = new Set(tools.map((tool) => tool.name))
  const stage: Stage = {
    said: turn.said,
    text,
    weekStart,
    offered: (...wanted) => wanted.find((name) => names.has(name)),
    fields: (name) => fieldsOf(tools.find((tool) => tool.name === name)),
  }
  const steps = stepsOf(stage)
  const step = steps?.[Math.min(turn.results.length, steps.length - 1)]
  const reply = step?.(turn.results.map((result) => result.text)) ?? { say: text('demo.help') }
  if (reply.call && !names.has(reply.call.tool)) {
    return { say: text(offBy(reply.call.tool) ?? 'demo.no_tool', { tool: reply.call.tool }) }
  }
  return reply
}

const FAILURES = ['invalid_argument', 'not_found', 'refused', 'timeout', 'unavailable', 'limit'] as const

/** The kind of a failure that has words of its own: tools write theirs for models, in English. */
function failureOf(type = ''): (typeof FAILURES)[number] | 'other' {
  return FAILURES.find((kind) => kind === type.split('.').at(-1)) ?? 'other'
}

/** What to say of a tool that is there only when the operator turns it on. */
function offBy(tool: string): 'demo.off.browser' | 'demo.off.computer' | undefined {
  if (tool.startsWith('browser_')) return 'demo.off.browser'
  return tool === 'ax_script' ? 'demo.off.computer' : undefined
}

/** Work on a task is whatever its title names, with a report at its end. */
function stepsOf(stage: Stage): readonly Step[] | undefined {
  const work = workOf(stage.said)
  const said = work?.what ?? stage.said
  const found = SCENES.map((scene) => scene({ ...stage, said })).find((steps) => steps !== undefined)
  if (!work) return found
  return workSteps(work.id, found ?? [() => ({ say: stage.text('demo.help') })])
}

function fieldsOf(tool: ToolSpec | undefined): ReadonlySet<string> | undefined {
  return tool && new Set(Object.keys(schemaShape.parse(tool.parameters).properties))
}

/** First match wins, so a phrase that names several things starts the longest scene. */
const SCENES: readonly Scene[] = [
  task,
  terminal,
  browse,
  typeOnDesktop,
  look,
  language,
  backgroundEnded,
  background,
  toolCall,
  teammate,
  team,
  remember,
  recall,
  schedule,
  schedules,
  report,
  approvals,
  command,
  todo,
  search,
  send,
  read,
  list,
  sales,
]
