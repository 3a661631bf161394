/** Paints a running answer as the markdown of one stream bubble. Pure. */
import type { LiveState, LiveStep } from '../../src/protocol/outbound.ts'
import type { Translate } from '../../src/protocol/ports.ts'
import { neutralMarkdown } from './markdown.ts'
import { closeFence, cutPoint, FENCE_ROOM, openFence } from './split.ts'

/** Steps that stay visible while working; the others are counted. */
const VISIBLE_STEPS = 4
/** Bytes of everything beside the answer itself, at most. */
const FRAME_BYTES = 6_000

export interface Painted {
  readonly content: string
  /** How far into `live.text` the bubble reaches, in UTF-16 units. */
  readonly shown: number
}

export function isFinal(live: LiveState): boolean {
  return live.phase === 'done' || live.phase === 'failed' || live.phase === 'stopped'
}

/**
 * Paints `live.text` from `base` on, as far as `maxBytes` allow. `note` ends a bubble that another one
 * continues. The result is never empty, because an invisible final frame is ignored by WeCom.
 */
export function paintLive(
  live: LiveState,
  base: number,
  maxBytes: number,
  text: Translate,
  note?: string,
): Painted {
  const head = clip(headOf(live, text), FRAME_BYTES / 2)
  const foot = clip([note, live.footer].filter(Boolean).join('\n'), FRAME_BYTES / 2)
  const reopened = openFence(live.text.slice(0, base))
  const lead = reopened === undefined ? '' : `${reopened}\n`
  const room = maxBytes - Buffer.byteLength(`${head}\n\n${lead}\n\n${foot}`) - FENCE_ROOM
  const rest = live.text.slice(base)
  const length = fitting(rest, room)
  const answer = length === 0 ? '' : neutralMarkdown(closeFence(lead + rest.slice(0, length)))
  const content = [head, answer, foot].filter((part) => part.trim() !== '').join('\n\n')
  return { content: content === '' ? live.label || '…' : content, shown: base + length }
}

/** Neutralising may lengthen the text by a byte or two per mention; such a text is cut once more. */
function fitting(rest: string, room: number): number {
  const length = cutPoint(rest, room)
  const grown =
    Buffer.byteLength(neutralMarkdown(rest.slice(0, length))) - Buffer.byteLength(rest.slice(0, length))
  return grown > 0 ? cutPoint(rest, room - grown) : length
}

function headOf(live: LiveState, text: Translate): string {
  const running = !isFinal(live)
  const label = running || live.phase !== 'done' || live.text === '' ? live.label : ''
  return [label, stepsOf(live, running, text), running ? todosOf(live) : ''].filter(Boolean).join('\n')
}

const MARKS: Readonly<Record<LiveStep['status'], string>> = {
  running: '⏳',
  ok: '✅',
  failed: '❌',
  denied: '⛔',
  waiting: '✋',
}

function stepsOf(live: LiveState, running: boolean, text: Translate): string {
  if (live.steps.length === 0) return ''
  if (!running) return `> ${text('wecom.live.steps', { count: live.steps.length })}`
  const visible = live.steps.slice(-VISIBLE_STEPS)
  const hidden = live.steps.length - visible.length
  const lines = visible.map((step) => `> ${MARKS[step.status]} ${oneLine(step.title)}`)
  return [...(hidden > 0 ? [`> ${text('wecom.live.earlier', { count: hidden })}`] : []), ...lines].join('\n')
}

function todosOf(live: LiveState): string {
  const mark = { pending: '☐', in_progress: '▶', completed: '☑' }
  return live.todos.map((todo) => `> ${mark[todo.status]} ${oneLine(todo.content)}`).join('\n')
}

function oneLine(text: string): string {
  const line = neutralMarkdown(text.replace(/\s+/g, ' '))
  return line.length > 120 ? `${line.slice(0, cutPoint(line, 240))}…` : line
}

function clip(text: string, maxBytes: number): string {
  const end = cutPoint(text, maxBytes)
  return end === text.length ? text : `${text.slice(0, end)}…`
}
