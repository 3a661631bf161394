/**
 * `LiveState` → the card of a running answer. Pure. Every part that changes while a run goes on is an
 * element of its own, so that one change costs one small call.
 */
import type { LiveState, LiveStep, Todo } from '../../../src/protocol/outbound.ts'
import type { Translate } from '../../../src/protocol/ports.ts'
import { CARD_BYTES, TABLES } from '../capabilities.ts'
import { summarise } from './answer.ts'
import { cardConfig, paintBlocks, paintHeader } from './card.ts'
import { chunkMarkdown } from './chunk.ts'
import { type CardJson, cardBytes, divider, markdown, plainText } from './element.ts'
import { literalMarkdown } from './literal.ts'
import { cardMarkdown } from './markdown.ts'

/** A painted state, with what is needed to tell it from the next one. */
export interface LivePaint {
  readonly card: CardJson
  /** Markdown by element id: what streaming calls can change one by one. */
  readonly texts: Readonly<Record<string, string>>
  /** Equal shapes differ in nothing but `texts`. */
  readonly shape: string
}

interface LiveOptions {
  readonly text: Translate
  /** Whether Feishu's typewriter is on; absent for cards that are updated as messages. */
  readonly streaming?: boolean
  /** Show the answer without any markup, after Feishu refused it as markdown. */
  readonly literal?: boolean
}

const MAX_STEPS = 30
const MAX_TODOS = 40

/** True when nothing more will come and the card gets its last look. */
export function isFinal(state: LiveState): boolean {
  return state.phase === 'done' || state.phase === 'failed' || state.phase === 'stopped'
}

/** Paints a state within the card's byte limit. An answer that is too long keeps its front and says so. */
export function paintLive(state: LiveState, options: LiveOptions): LivePaint {
  const whole = paint(state, state.text, options)
  if (cardBytes(whole.card) <= CARD_BYTES) return whole
  const points = [...state.text.slice(0, CARD_BYTES)]
  const note = `\n\n${options.text('feishu.live.clipped')}`
  let [fits, tooLong] = [0, points.length]
  while (tooLong - fits > 64) {
    const middle = Math.floor((fits + tooLong) / 2)
    const attempt = paint(state, points.slice(0, middle).join('') + note, options)
    if (cardBytes(attempt.card) <= CARD_BYTES) fits = middle
    else tooLong = middle
  }
  return paint(state, points.slice(0, fits).join('') + note, options)
}

function paint(state: LiveState, answer: string, options: LiveOptions): LivePaint {
  const texts = paintTexts(state, answer, options)
  const elements = Object.entries(texts).map(([id, content]) =>
    id === 'steps' ? stepsPanel(content, options.text) : markdown(content, id),
  )
  const head = state.head ? [...paintBlocks(state.head.blocks), divider()] : []
  const frame = {
    schema: '2.0',
    config: {
      ...cardConfig(summarise(state.text) || state.label, options.streaming),
      ...(options.streaming ? { streaming_config: TYPEWRITER } : {}),
    },
    ...(state.head ? { header: paintHeader(state.head) } : {}),
  }
  return {
    card: { ...frame, body: { elements: [...head, ...elements] } },
    texts,
    shape: JSON.stringify([Object.keys(texts), head, state.head ? frame.header : null]),
  }
}

const TYPEWRITER: CardJson = {
  print_frequency_ms: { default: 30 },
  print_step: { default: 3 },
  print_strategy: 'fast',
}

function paintTexts(state: LiveState, answer: string, options: LiveOptions): Record<string, string> {
  const body = options.literal
    ? literalMarkdown(answer)
    : cardMarkdown(answer, TABLES, !isFinal(state) && options.streaming === true)
  const chunks = chunkMarkdown(body)
  const parts: [string, string][] = [
    ['status', state.label && `<font color='grey'>${literalMarkdown(state.label)}</font>`],
    ['todos', paintTodos(state.todos, options.text)],
    ['steps', paintSteps(state.steps, options.text)],
    ...chunks.map((chunk, index): [string, string] => [`answer${index}`, chunk]),
    ['footer', state.footer ? `<font color='grey'>${literalMarkdown(state.footer)}</font>` : ''],
  ]
  const shown = parts.filter(([, content]) => content !== '')
  return Object.fromEntries(shown.length > 0 ? shown : [['status', '…']])
}

const STEP_SIGNS: Readonly<Record<LiveStep['status'], string>> = {
  running: '⏳',
  ok: '✅',
  failed: '❌',
  denied: '🚫',
  waiting: '✋',
}

function paintSteps(steps: readonly LiveStep[], text: Translate): string {
  const lines = steps.slice(-MAX_STEPS).map((step) => {
    const took = step.ms === undefined ? '' : ` (${(step.ms / 1_000).toFixed(1)} s)`
    return `${STEP_SIGNS[step.status]} ${literalMarkdown(step.title.replace(/\s+/g, ' '))}${took}`
  })
  const hidden = steps.length - lines.length
  return [...(hidden > 0 ? [text('feishu.live.more_steps', { count: hidden })] : []), ...lines].join('\n')
}

function stepsPanel(content: string, text: Translate): CardJson {
  return {
    tag: 'collapsible_panel',
    expanded: false,
    header: { title: plainText(text('feishu.live.steps')) },
    elements: [markdown(content, 'steps')],
  }
}

const TODO_SIGNS: Readonly<Record<Todo['status'], string>> = {
  pending: '⬜',
  in_progress: '▶️',
  completed: '✅',
}

function paintTodos(todos: readonly Todo[], text: Translate): string {
  const lines = todos
    .slice(0, MAX_TODOS)
    .map((todo) => `${TODO_SIGNS[todo.status]} ${literalMarkdown(todo.content.replace(/\s+/g, ' '))}`)
  const hidden = todos.length - lines.length
  return [...lines, ...(hidden > 0 ? [text('feishu.live.more_todos', { count: hidden })] : [])].join('\n')
}
