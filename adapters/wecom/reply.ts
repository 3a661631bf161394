/**
 * What `replyTo` holds: everything needed to answer a message, as plain JSON so that it survives
 * restarts in the database and the redactor still recognises the `response_code` inside.
 */
import { z } from 'zod'

const replySchema = z.discriminatedUnion('via', [
  /** Long connection: the callback's req_id, usable 24 h by `aibot_respond_msg`. */
  z.object({ via: z.literal('socket'), chat: z.string(), at: z.number(), reqId: z.string() }),
  /** Long connection: the req_id of `enter_chat`, usable once within 5 s. */
  z.object({ via: z.literal('welcome'), chat: z.string(), at: z.number(), reqId: z.string() }),
  /** URL callback: the stream that WeCom polls, and the one-time `response_url` (1 h) behind it. */
  z.object({
    via: z.literal('poll'),
    chat: z.string(),
    at: z.number(),
    stream: z.string(),
    url: z.string().optional(),
  }),
  /** URL callback: the welcome that an open HTTP request waits for. */
  z.object({ via: z.literal('http-welcome'), chat: z.string(), at: z.number(), stream: z.string() }),
])

export type Reply = z.output<typeof replySchema>

/** Window of a message callback's req_id (doc 101463), milliseconds. */
export const REPLY_WINDOW_MS = 24 * 3_600_000
/** Window of an `enter_chat` or a click, milliseconds. */
export const EVENT_WINDOW_MS = 5_000
/** Life of a `response_url`, milliseconds. */
export const RESPONSE_URL_MS = 3_600_000

export function encodeReply(reply: Reply): string {
  return JSON.stringify(reply)
}

/** Undefined when absent, not ours, or made for another chat: an answer never changes the chat. */
export function decodeReply(replyTo: string | undefined, chatId: string): Reply | undefined {
  if (replyTo === undefined) return undefined
  const parsed = replySchema.safeParse(jsonOf(replyTo))
  return parsed.success && parsed.data.chat === chatId ? parsed.data : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not ours: the caller sends a new message instead.
  }
}
