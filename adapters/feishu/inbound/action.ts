import { z } from 'zod'
import type { ActionEvent } from '../../../src/protocol/inbound.ts'
import { type Envelope, type InboundContext, optionalText, readTime } from './envelope.ts'
import { readSender } from './sender.ts'

const operatorSchema = z.looseObject({
  open_id: optionalText,
  user_id: optionalText,
  union_id: optionalText,
  tenant_key: optionalText,
})

const schema = z.looseObject({
  operator: operatorSchema,
  /** Credential of the callback; a click without one did not come from a card. */
  token: z.string().min(1),
  action: z.looseObject({
    value: z.unknown(),
    name: optionalText,
    form_value: z.record(z.string(), z.unknown()).nullish(),
    input_value: optionalText,
    option: optionalText,
    options: z.array(z.string()).nullish(),
    checked: z.boolean().nullish(),
  }),
  context: z.looseObject({ open_message_id: optionalText, open_chat_id: z.string().min(1) }),
})

/**
 * `card.action.trigger` → click. The payload does not say whether the chat is a group; `group`, the
 * stricter of the two, is assumed. An operator without open_id stays `unknown:`, which no rule allows.
 */
export function readAction(envelope: Envelope, context: InboundContext): ActionEvent | undefined {
  const parsed = schema.safeParse(envelope.event)
  if (!parsed.success) return undefined
  const { operator, action, context: place } = parsed.data
  return {
    type: 'action',
    address: { botId: context.botId, chatId: place.open_chat_id, chatType: 'group' },
    eventId: envelope.header.event_id,
    operator: readSender(operator, {
      tenant: operator.tenant_key,
      ownTenant: envelope.header.tenant_key,
      isBot: false,
    }),
    ...(place.open_message_id ? { messageId: place.open_message_id } : {}),
    value: stringsOf(action.value),
    form: readForm(action),
    sentAt: readTime(envelope.header.create_time),
  }
}

/** Inputs inside a form come together; an input outside one comes alone, under its own name. */
function readForm(action: z.output<typeof schema>['action']): Record<string, string> {
  const form: Record<string, string> = {}
  for (const [name, value] of Object.entries(action.form_value ?? {})) {
    const text = inputText(value)
    if (text !== undefined) form[name] = text
  }
  const alone = action.input_value ?? action.option ?? action.options?.join(',') ?? inputText(action.checked)
  if (action.name && alone !== undefined) form[action.name] = alone
  return form
}

function inputText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(',')
  return undefined
}

/** Our own buttons carry only strings; anything else in a value was not sent by us and is left out. */
function stringsOf(value: unknown): Record<string, string> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value)
  if (!parsed.success) return {}
  return Object.fromEntries(
    Object.entries(parsed.data).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : [])),
  )
}
