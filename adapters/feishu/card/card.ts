/**
 * `Card` → card JSON 2.0. Pure. Knows Feishu's schema and limits; does not know what an approval is.
 * Cards are shared (`update_multi`), so that everybody sees a decision, and cannot be forwarded, so
 * that no copy of a button lives in another chat.
 */

import type { Card, CardBlock, CardButton, CardSelect, CardTone } from '../../../src/protocol/card.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { CARD_BYTES, TABLES } from '../capabilities.ts'
import { chunkMarkdown } from './chunk.ts'
import { type CardJson, cardBytes, columns, divider, literal, markdown, plainText } from './element.ts'
import { cardMarkdown } from './markdown.ts'

const TEMPLATES: Readonly<Record<CardTone, string>> = {
  info: 'blue',
  warning: 'orange',
  danger: 'red',
  success: 'green',
  neutral: 'grey',
}

const BUTTON_TYPES: Readonly<Record<CardButton['style'], string>> = {
  primary: 'primary_filled',
  danger: 'danger',
  default: 'default',
}

const MAX_BUTTON_TEXT = 100

/** Paints a card. Rejects with `feishu.card_too_large` instead of leaving anything out. */
export function paintCard(card: Card): CardJson {
  const painted: CardJson = {
    schema: '2.0',
    config: cardConfig(card.summary),
    header: paintHeader(card),
    body: { elements: [...paintBlocks(card.blocks), ...paintControls(card)] },
  }
  const bytes = cardBytes(painted)
  if (bytes <= CARD_BYTES) return painted
  throw new AppError('feishu.card_too_large', `the card has ${bytes} bytes, ${CARD_BYTES} are allowed`, {
    hint: 'Shorten what the card shows, or send it as a file.',
    params: { bytes, limit: CARD_BYTES },
  })
}

/** Settings that every card of ours has. `summary` is what the chat list shows. */
export function cardConfig(summary: string, streaming?: boolean): CardJson {
  return {
    update_multi: true,
    enable_forward: false,
    summary: { content: summary },
    width_mode: 'fill',
    ...(streaming === undefined ? {} : { streaming_mode: streaming }),
  }
}

/** Title, colour and state label. */
export function paintHeader(card: Pick<Card, 'title' | 'tone' | 'tag'>): CardJson {
  const color = TEMPLATES[card.tone]
  return {
    title: plainText(card.title),
    template: color,
    ...(card.tag
      ? { text_tag_list: [{ tag: 'text_tag', text: plainText(card.tag), color: tagColor(color) }] }
      : {}),
  }
}

/** Labels know `neutral` where headers know `grey`. */
function tagColor(color: string): string {
  return color === 'grey' ? 'neutral' : color
}

/** The blocks of a card in order. The first markdown block may hold tables, the others show code. */
export function paintBlocks(blocks: readonly CardBlock[]): CardJson[] {
  const first = blocks.find((block) => block.type === 'markdown')
  return blocks.flatMap((block) => paintBlock(block, block === first ? TABLES : 0))
}

function paintBlock(block: CardBlock, tables: number): CardJson[] {
  switch (block.type) {
    case 'text':
      return block.text ? [literal(block.text)] : []
    case 'markdown':
      return chunkMarkdown(cardMarkdown(block.text, tables)).map((text) => markdown(text))
    case 'code':
      return [columns([{ weight: 1, element: literal(block.text) }], 'grey')]
    case 'fields':
      // Names and values stand in columns of their own, so a value with line breaks cannot fake a field.
      return block.fields.map((field) =>
        columns([
          { weight: 1, element: literal(field.name) },
          { weight: 3, element: literal(field.value) },
        ]),
      )
    case 'divider':
      return [divider()]
    default:
      return block satisfies never
  }
}

function paintControls(card: Card): CardJson[] {
  if (card.buttons.length === 0) return []
  const buttons = card.buttons.map((button, index) => paintButton(button, card.select ? index : undefined))
  const row = columns(buttons.map((element) => ({ weight: 1, element })))
  if (!card.select) return [row]
  return [
    { tag: 'form', name: 'form', elements: [literal(card.select.label), paintSelect(card.select), row] },
  ]
}

/** Inside a form a button submits it, and needs a name that no other component has. */
function paintButton(button: CardButton, formIndex: number | undefined): CardJson {
  return {
    tag: 'button',
    ...(formIndex === undefined ? {} : { name: `button_${formIndex}`, form_action_type: 'submit' }),
    type: BUTTON_TYPES[button.style],
    width: 'fill',
    text: plainText([...button.text].slice(0, MAX_BUTTON_TEXT).join('')),
    behaviors: [{ type: 'callback', value: button.value }],
  }
}

function paintSelect(select: CardSelect): CardJson {
  return {
    tag: 'select_static',
    name: select.name,
    placeholder: plainText(select.label),
    options: select.options.map((option) => ({ text: plainText(option.text), value: option.value })),
    initial_option: select.initial,
  }
}
