import { z } from 'zod'
import { isRecord, isText } from './shape.ts'

/**
 * Every event passes these schemas, so they drop what nobody reads (`z.object`) instead of copying it, and
 * text that may be empty is judged where it is used: a transform costs more than all other checks of a field.
 */
export const maybeText = z.string().nullish()

/** Text that Feishu sometimes sends as `""` or null where a field does not apply. */
export const optionalText = z
  .string()
  .nullish()
  .transform((value) => value || undefined)

/** Ids of one person. `open_id` is per app, `user_id` needs a scope, any of them may be missing. */
export const userIdSchema = z
  .object({ open_id: maybeText, user_id: maybeText, union_id: maybeText })
  .nullish()

/** Event of schema 2.0, as it comes over the socket and, decrypted, over the webhook. */
const envelopeSchema = z.object({
  schema: z.literal('2.0'),
  header: z.object({
    event_id: z.string().min(1),
    event_type: z.string().min(1),
    create_time: z.string().default('0'),
    token: z.string().default(''),
    app_id: z.string(),
    tenant_key: z.string().default(''),
  }),
  event: z.unknown(),
})

/** A parsed event of schema 2.0. */
export type Envelope = z.output<typeof envelopeSchema>

/** Reads an envelope; undefined when it is none of schema 2.0. */
export function readEnvelope(payload: unknown): Envelope | undefined {
  return isWhole(payload) ? payload : envelopeSchema.safeParse(payload).data
}

/** Nothing is missing for which the schema would put something. */
function isWhole(payload: unknown): payload is Envelope {
  if (!isRecord(payload) || payload.schema !== '2.0' || !('event' in payload)) return false
  const { header } = payload
  return (
    isRecord(header) &&
    isText(header.event_id) &&
    isText(header.event_type) &&
    typeof header.create_time === 'string' &&
    typeof header.token === 'string' &&
    typeof header.app_id === 'string' &&
    typeof header.tenant_key === 'string'
  )
}

/** What the pure readers must know about ourselves. */
export interface InboundContext {
  /** Id of the bot in our own configuration. */
  readonly botId: string
  readonly appId: string
  /** The bot's own open_id; undefined until Feishu told it, and then nothing counts as a mention. */
  readonly botOpenId: string | undefined
  readonly answerAll: boolean
  /** How `@_all` reads in a text, e.g. `@所有人`. */
  readonly everyone: string
}

/** Events count in milliseconds, card clicks in microseconds; both as strings. */
export function readTime(value: string | undefined): number {
  const time = Number(value)
  if (!Number.isFinite(time)) return 0
  return time > 1e14 ? Math.floor(time / 1_000) : time
}
