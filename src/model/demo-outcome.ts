/** What tools tell a model in English, as the demo model tells it to people. Words of other forms stay as they are. */
import { z } from 'zod'
import type { Translate } from '../protocol/ports.ts'
import { block } from './demo-stage.ts'

/** The output of `shell` or `command_status`, and how the command ended. */
export function commandOutcome(result: string, text: Translate): string {
  const shell = /^([\s\S]*)\n\[exit code (\d+), ([\d.]+) s\]$/.exec(result)
  if (shell) return ended(shell[1], shell[2], shell[3], text)
  const job = /^job-\S+: exit code (\d+) after ([\d.]+) s \(\d+ bytes of output\)\n([\s\S]*)$/.exec(result)
  return job ? ended(job[3], job[1], job[2], text) : block(result)
}

function ended(output = '', code = '', seconds = '', text: Translate): string {
  const said = output === '(no output)' ? text('demo.no_output') : block(output)
  return `${said}\n\n${text('demo.exit', { code, seconds })}`
}

/** The id of a command that `start_command` has started. */
export function startedJob(result: string): string {
  return /\bjob-[a-z2-7]+\b/.exec(result)?.[0] ?? ''
}

/** The members' answers without the line for the model above them, each below the name and role of its member. */
export function teamAnswers(result: string, text: Translate): string {
  return result
    .replace(/^\d+ of \d+ members answered[^\n]*\n+/, '')
    .replaceAll(
      /^### (.+?) \((.+)\)$/gm,
      (_line, name: string, role: string) => `### ${text('demo.team_member', { name, role })}`,
    )
}

const fact = z.looseObject({ key: z.string(), value: z.string() })
const said = z.looseObject({ who: z.string(), text: z.string() })

/** What `recall_memory` found, one on a line; undefined when there is nothing. */
export function foundFacts(result: string): string | undefined {
  const found = result.split('\n').flatMap((line) => {
    const row = parsed(line)
    const noted = fact.safeParse(row).data
    if (noted) return [`- ${noted.key}：${noted.value}`]
    const earlier = said.safeParse(row).data
    return earlier ? [`- ${earlier.who}：${earlier.text}`] : []
  })
  return found.length === 0 ? undefined : found.join('\n')
}

/** A long result is cut anywhere. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
