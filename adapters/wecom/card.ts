/**
 * Paints a card of the house as a WeCom template card (doc 101032). Pure. What a template card cannot
 * hold is refused with `wecom.card_refused`, so that the caller uses the text form; nothing that a
 * person must see before deciding is ever cut here.
 */
import type { Card, CardBlock, CardButton } from '../../src/protocol/card.ts'
import { AppError } from '../../src/protocol/errors.ts'
import { encodeButton, NOOP_KEY } from './button.ts'

/** The client clips `sub_title_text` beyond this; commands longer than it must be sent before the card. */
export const CARD_CODE_BYTES = 112

const TITLE_CHARS = 26
const DESC_CHARS = 30
const SUBTITLE_CHARS = 112
const ROW_NAME_CHARS = 5
const ROW_VALUE_CHARS = 26
const ROWS = 6
const BUTTONS = 6
const BUTTON_CHARS = 10
const BUTTON_KEY_BYTES = 1_024
const OPTIONS = 10
const TASK_ID = /^[A-Za-z0-9_\-@]{1,128}$/

/** Styles as the AI bot's document draws them; app messages swap 3 and 4. */
const STYLES = {
  aibot: { primary: 1, danger: 3, default: 4 },
  app: { primary: 1, danger: 4, default: 3 },
}

export interface TemplateCard {
  readonly card_type: 'button_interaction'
  readonly task_id: string
  readonly [field: string]: unknown
}

/**
 * Pending cards keep their buttons; a card without buttons gets one that does nothing, because
 * `text_notice` would need a link (42045) and the AI bot has no way to grey a button out.
 * @param options.taskId the clicked card's id in an update; by default the card's own
 * @param options.more stands where prose was left out, and says where the rest is
 */
export function paintCard(
  whole: Card,
  route: keyof typeof STYLES,
  options: { readonly taskId?: string; readonly more?: string } = {},
): TemplateCard {
  const card = narrowed(whole)
  const { taskId = card.cardId, more } = options
  if (!TASK_ID.test(taskId)) throw refused('task_id', 'the id has characters that WeCom refuses')
  const subtitle = subtitleOf(card.blocks, more ?? '…')
  // Code may leave no room for saying that words are missing; then the line under the title says it.
  const untold = more === undefined || fitsWhole(card) || subtitle.endsWith(more) ? '' : more
  const desc = [card.tag ?? '', untold].filter((part) => part !== '').join(' ')
  return {
    card_type: 'button_interaction',
    main_title: {
      title: clip(card.title, TITLE_CHARS),
      ...(desc !== '' && { desc: clip(desc, DESC_CHARS) }),
    },
    ...(subtitle !== '' && { sub_title_text: subtitle }),
    ...rowsOf(card.blocks),
    ...selectionOf(card),
    button_list: card.buttons.length === 0 ? [noopButton(card, route)] : buttonsOf(card.buttons, route),
    task_id: taskId,
  }
}

/**
 * True when the card shows every word. Otherwise the whole text must stand in a message before it:
 * risks, notes and the code of the text form are part of what a person decides on.
 */
export function fitsWhole(whole: Card): boolean {
  const card = narrowed(whole)
  const fields = card.blocks.flatMap((block) => (block.type === 'fields' ? [...block.fields] : []))
  const { code, prose } = textsOf(card.blocks)
  return (
    lengthOf(card.title) <= TITLE_CHARS &&
    lengthOf(card.tag ?? '') <= DESC_CHARS &&
    lengthOf([code, prose].filter((part) => part !== '').join('\n')) <= SUBTITLE_CHARS &&
    fields.every(({ name, value }) => lengthOf(name) <= ROW_NAME_CHARS && lengthOf(value) <= ROW_VALUE_CHARS)
  )
}

/** The card with its short forms where the long ones have no room; they name the same things. */
function narrowed(card: Card): Card {
  const { code, prose } = textsOf(card.blocks)
  const roomy = lengthOf([code, prose].filter((part) => part !== '').join('\n')) <= SUBTITLE_CHARS
  const narrow = (block: CardBlock): CardBlock => {
    if (block.type === 'text') return roomy ? block : { type: 'text', text: block.short ?? block.text }
    if (block.type !== 'fields') return block
    const fields = block.fields.map(({ name, shortName, value, short }) => ({
      name: lengthOf(name) <= ROW_NAME_CHARS ? name : (shortName ?? name),
      value: lengthOf(value) <= ROW_VALUE_CHARS ? value : (short ?? value),
    }))
    return { type: 'fields', fields }
  }
  return { ...card, blocks: card.blocks.map(narrow) }
}

/** Code first and whole; other text fills the room that is left. */
function subtitleOf(blocks: readonly CardBlock[], more: string): string {
  const { code, prose } = textsOf(blocks)
  if (Buffer.byteLength(code) > CARD_CODE_BYTES) {
    throw refused('code', `${Buffer.byteLength(code)} bytes of code; the card shows ${CARD_CODE_BYTES}`)
  }
  const room = SUBTITLE_CHARS - lengthOf(code) - (code === '' ? 0 : 1)
  const rest =
    lengthOf(prose) <= room
      ? prose
      : room < lengthOf(more)
        ? ''
        : `${firstOf(prose, room - lengthOf(more))}${more}`
  return [code, rest].filter((part) => part !== '').join('\n')
}

function textsOf(blocks: readonly CardBlock[]): { code: string; prose: string } {
  const code = blocks.flatMap((block) => (block.type === 'code' ? [block.text] : []))
  const prose = blocks.flatMap((block) =>
    (block.type === 'text' || block.type === 'markdown') && block.text !== '' ? [block.text] : [],
  )
  return { code: code.join('\n'), prose: prose.join('\n') }
}

function rowsOf(blocks: readonly CardBlock[]): { horizontal_content_list?: unknown } {
  const fields = blocks.flatMap((block) => (block.type === 'fields' ? [...block.fields] : []))
  if (fields.length === 0) return {}
  if (fields.length > ROWS) throw refused('rows', `${fields.length} fields; the card shows ${ROWS}`)
  return {
    horizontal_content_list: fields.map((field) => ({
      keyname: clip(field.name, ROW_NAME_CHARS),
      value: clipMiddle(field.value, ROW_VALUE_CHARS) || '-',
    })),
  }
}

function selectionOf(card: Card): { button_selection?: unknown } {
  const { select } = card
  if (select === undefined) return {}
  if (select.options.length > OPTIONS) throw refused('options', `${select.options.length} options`)
  return {
    button_selection: {
      question_key: select.name,
      title: clip(select.label, ROW_VALUE_CHARS),
      option_list: select.options.map((option) => ({ id: option.value, text: option.text })),
      selected_id: select.initial,
    },
  }
}

function buttonsOf(buttons: readonly CardButton[], route: keyof typeof STYLES): unknown[] {
  if (buttons.length > BUTTONS)
    throw refused('buttons', `${buttons.length} buttons; the card takes ${BUTTONS}`)
  return buttons.map((button) => {
    const key = encodeButton(button.value)
    if (Buffer.byteLength(key) > BUTTON_KEY_BYTES) throw refused('button', 'a button value over 1,024 bytes')
    return { text: clip(button.text, BUTTON_CHARS), style: STYLES[route][button.style], key }
  })
}

/** Says the state; of a long one its first clause. */
function noopButton(card: Card, route: keyof typeof STYLES): unknown {
  const state = card.tag ?? card.title
  const words = lengthOf(state) <= BUTTON_CHARS ? state : (state.split(/[,，:：]/, 1)[0] ?? state)
  return { text: clip(words, BUTTON_CHARS), style: STYLES[route].default, key: NOOP_KEY }
}

function clip(text: string, chars: number): string {
  return lengthOf(text) <= chars ? text : `${firstOf(text, chars - 1)}…`
}

function firstOf(text: string, chars: number): string {
  return [...text].slice(0, Math.max(0, chars)).join('')
}

function lengthOf(text: string): number {
  return [...text].length
}

/** Keeps both ends: the end of a path says more than its middle. */
function clipMiddle(text: string, chars: number): string {
  const points = [...text]
  if (points.length <= chars) return text
  const head = Math.floor((chars - 1) / 2)
  return `${points.slice(0, head).join('')}…${points.slice(points.length - (chars - 1 - head)).join('')}`
}

/** The card cannot be shown here as it must be; the text form can. */
export function refused(reason: string, detail: string): AppError {
  return new AppError('wecom.card_refused', `card refused (${reason}): ${detail}`, {
    hint: 'Use the text form of the approval instead.',
    params: { reason },
  })
}
