/** Paints a `template_card` object as the client does; texts over the advised lengths are clipped (doc 101032). */
import { z } from 'zod'
import type { CardButton, CardChoice, CardView } from './view.ts'

const text = z.string().optional().catch(undefined)
const list = <T extends z.ZodType>(item: T) => z.array(item).catch([])
const option = z.looseObject({ id: z.string(), text: z.string(), is_checked: z.boolean().optional() })
const select = z.looseObject({
  question_key: z.string(),
  title: text,
  disable: z.boolean().optional(),
  selected_id: text,
  mode: z.number().optional(),
  option_list: list(option),
})
const titled = z.looseObject({ title: text, desc: text }).catch({})
const button = z.looseObject({
  text: z.string(),
  key: z.string().catch(''),
  style: z.number().optional(),
  type: z.number().optional(),
  url: text,
})
const row = z.looseObject({ keyname: z.string(), value: z.string().catch(''), url: text, userid: text })
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

const cardShape = z.looseObject({
  card_type: z.string().catch(''),
  task_id: text,
  source: optional(z.looseObject({ desc: text })),
  main_title: titled.optional(),
  sub_title_text: text,
  quote_area: optional(z.looseObject({ quote_text: text })),
  emphasis_content: optional(z.looseObject({ title: text, desc: text })),
  horizontal_content_list: list(row),
  button_selection: optional(select),
  checkbox: optional(select),
  select_list: list(select),
  button_list: list(button),
  submit_button: optional(z.looseObject({ text: z.string(), key: z.string() })),
  card_action: optional(z.looseObject({ url: text })),
  replace_text: text,
})

const clip = (value: string, max: number): string =>
  [...value].length <= max ? value : `${[...value].slice(0, max - 1).join('')}…`

/** `{ [name]: clipped }`, or nothing for an absent text. */
function clipped<K extends string>(
  name: K,
  value: string | undefined,
  max: number,
): Partial<Record<K, string>> {
  const field: Partial<Record<K, string>> = {}
  if (value !== undefined && value !== '') field[name] = clip(value, max)
  return field
}

function paintChoice(from: z.output<typeof select>): CardChoice {
  const checked = from.option_list.filter((one) => one.is_checked === true).map((one) => one.id)
  const first = from.option_list[0]
  const single = from.selected_id ?? first?.id
  const isCheckbox = from.mode !== undefined || checked.length > 0
  return {
    questionKey: from.question_key,
    title: from.title ?? '',
    multiple: from.mode === 1,
    options: from.option_list.map((one) => ({ id: one.id, text: one.text })),
    selectedIds: isCheckbox ? checked : single === undefined ? [] : [single],
    disabled: from.disable === true,
  }
}

const paintButton = (from: z.output<typeof button>): CardButton => ({
  key: from.key,
  text: from.text,
  ...(from.style === undefined ? {} : { style: from.style }),
  ...(from.type === 1 && from.url !== undefined ? { url: from.url } : {}),
})

export function paintCard(raw: Record<string, unknown>): CardView {
  const card = cardShape.parse(raw)
  const choices = [card.button_selection, card.checkbox, ...card.select_list].filter(
    (one) => one !== undefined,
  )
  const emphasis = card.emphasis_content
  return {
    cardType: card.card_type,
    ...clipped('taskId', card.task_id, 128),
    ...clipped('source', card.source?.desc, 13),
    ...clipped('title', card.main_title?.title, 26),
    ...clipped('description', card.main_title?.desc, 30),
    ...clipped('subTitle', card.sub_title_text, 112),
    ...clipped('quote', card.quote_area?.quote_text, 112),
    ...(emphasis
      ? {
          emphasis: { ...clipped('title', emphasis.title, 10), ...clipped('description', emphasis.desc, 15) },
        }
      : {}),
    rows: card.horizontal_content_list.map((one) => ({
      name: clip(one.keyname, 5),
      value: clip(one.value, 26),
      ...(one.url === undefined ? {} : { url: one.url }),
      ...(one.userid === undefined ? {} : { userid: one.userid }),
    })),
    choices: choices.map(paintChoice),
    buttons: card.button_list.map(paintButton),
    ...(card.submit_button ? { submit: { text: card.submit_button.text, key: card.submit_button.key } } : {}),
    ...(card.card_action?.url === undefined ? {} : { url: card.card_action.url }),
    ...(card.replace_text === undefined ? {} : { replaceText: card.replace_text }),
    raw,
  }
}
