/** What makes the platform refuse a template card (wecom facts 4.1). Pure; the task_id register is handed in. */
import { z } from 'zod'
import type { RawCard } from './chats.ts'
import { accept, byteLength, refuse } from './refusal.ts'

const NOTICES = ['text_notice', 'news_notice']
const INTERACTIVE = ['button_interaction', 'vote_interaction', 'multiple_interaction']

const keyText = (max: number) =>
  z
    .string()
    .min(1)
    .refine((key) => byteLength(key) <= max, 'too long')
const options = (max: number) =>
  z
    .array(z.looseObject({ id: keyText(128), text: z.string().min(1) }))
    .min(1)
    .max(max)
const choice = (max: number) => z.looseObject({ question_key: keyText(1024), option_list: options(max) })

const cardSchema = z.looseObject({
  card_type: z.enum([...NOTICES, ...INTERACTIVE]),
  task_id: z.string().optional(),
  source: z.looseObject({}).optional(),
  main_title: z.looseObject({ title: z.string().optional(), desc: z.string().optional() }).optional(),
  sub_title_text: z.string().optional(),
  horizontal_content_list: z
    .array(z.looseObject({ keyname: z.string().min(1) }))
    .max(6)
    .optional(),
  vertical_content_list: z
    .array(z.looseObject({ title: z.string().min(1) }))
    .max(4)
    .optional(),
  jump_list: z
    .array(z.looseObject({ title: z.string().min(1) }))
    .max(3)
    .optional(),
  action_menu: z
    .looseObject({
      action_list: z
        .array(z.looseObject({ text: z.string(), key: keyText(1024) }))
        .min(1)
        .max(3),
    })
    .optional(),
  card_action: z.unknown().optional(),
  submit_button: z.unknown().optional(),
  button_list: z.unknown().optional(),
  button_selection: choice(10).optional(),
  checkbox: z.unknown().optional(),
  select_list: z.unknown().optional(),
  feedback: z.looseObject({ id: keyText(256) }).optional(),
})

const buttonList = (callbackOnly: boolean) =>
  z
    .array(
      z.looseObject({ text: z.string().min(1), key: keyText(1024).optional(), type: z.number().optional() }),
    )
    .min(1)
    .max(6)
    .refine(
      (buttons) => buttons.every((one) => one.key !== undefined || (!callbackOnly && one.type === 1)),
      'key missing',
    )
    .refine((buttons) => {
      const keys = buttons.flatMap((one) => (one.key === undefined ? [] : [one.key]))
      return new Set(keys).size === keys.length
    }, 'keys must differ')

const cardAction = z.union([
  z.looseObject({ type: z.literal(1), url: z.string().min(1) }),
  z.looseObject({ type: z.literal(2), appid: z.string().min(1) }),
])
const submitButton = z.looseObject({ text: z.string().min(1), key: keyText(1024) })

export interface CardContext {
  owner: 'aibot' | 'app'
  /** In an update the task_id repeats the original's and is not registered anew. */
  update?: { taskId: string | undefined }
  isTaken: (taskId: string) => boolean
}

function checkTaskId(card: z.output<typeof cardSchema>, context: CardContext): void {
  const required = INTERACTIVE.includes(card.card_type) || card.action_menu !== undefined
  if (card.task_id === undefined) {
    if (required && !(context.update && context.owner === 'app')) throw refuse(42014, 'task_id missing')
    return
  }
  if (!/^[A-Za-z0-9_\-@]{1,128}$/.test(card.task_id)) throw refuse(42014, 'charset or length')
  if (!context.update) {
    if (context.isTaken(card.task_id)) throw refuse(42014, 'already used')
    return
  }
  if (context.owner === 'aibot' && card.task_id !== context.update.taskId) {
    throw refuse(42014, "differs from the clicked card's")
  }
}

function checkBody(card: z.output<typeof cardSchema>, owner: CardContext['owner']): void {
  if (!card.main_title?.title && !card.sub_title_text) throw refuse(41016)
  if (NOTICES.includes(card.card_type) && !cardAction.safeParse(card.card_action).success) throw refuse(42045)
  switch (card.card_type) {
    case 'button_interaction':
      accept(z.looseObject({ button_list: buttonList(owner === 'aibot') }), card)
      return
    case 'vote_interaction':
      if (!submitButton.safeParse(card.submit_button).success) throw refuse(42049)
      accept(z.looseObject({ checkbox: choice(20) }), card)
      return
    case 'multiple_interaction':
      if (!submitButton.safeParse(card.submit_button).success) throw refuse(42049)
      accept(z.looseObject({ select_list: z.array(choice(10)).min(1).max(3) }), card)
      return
    default:
  }
}

/** Returns the card when the platform would take it; refuses otherwise. Registering the task_id is the caller's. */
export function checkCard(value: unknown, context: CardContext): RawCard & { feedback?: { id: string } } {
  const outer = z.looseObject({ card_type: z.string() }).safeParse(value)
  if (!outer.success) throw refuse(41016, 'template_card is not a card')
  const card = accept(cardSchema, value)
  checkTaskId(card, context)
  checkBody(card, context.owner)
  const { feedback, ...rest } = card
  return feedback ? { ...rest, feedback: { id: feedback.id } } : rest
}

/** Whether clicks on the card call back. */
export const isInteractive = (card: RawCard): boolean =>
  (typeof card.card_type === 'string' && INTERACTIVE.includes(card.card_type)) ||
  card.action_menu !== undefined
