/** Stream messages of AI bots: first frame makes the bubble, later ones replace, finish freezes (wecom facts 1.4). */
import { z } from 'zod'
import type { StoredMessage } from './chats.ts'
import type { CorpBot } from './corp.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import type { World } from './world.ts'

export const MARKDOWN_MAX = 20_480

export const streamSchema = z.looseObject({
  id: z.string().min(1).max(256),
  finish: z.boolean().optional(),
  content: z.string().optional(),
  feedback: z.looseObject({ id: z.string().min(1).max(256) }).optional(),
})

interface StreamState {
  message: StoredMessage
  startedAt: number
}

export interface StreamFrame {
  bot: CorpBot
  chat: string
  quoteId: string | undefined
  stream: unknown
  images?: Uint8Array[]
  /** Monotonic start of the time limit; default the first frame. URL mode counts from the person's message. */
  countedFrom?: number
  /** Called before a frame that counts toward the chat's frequency; refuses when there are too many. */
  charge: () => void
}

export interface Streams {
  /** Applies a frame; true when the stream is finished now. */
  apply(frame: StreamFrame): boolean
}

/** A finish frame with nothing to see is ignored by the client, which then thinks for ever. */
const isInvisible = (text: string): boolean => /^[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*$/.test(text)

export function createStreams(world: World): Streams {
  const streams = new Map<string, StreamState>()
  return {
    apply: (frame) => {
      const input = accept(streamSchema, frame.stream)
      const content = input.content ?? ''
      if (byteLength(content) > MARKDOWN_MAX) throw refuse(45002, `stream content over ${MARKDOWN_MAX} bytes`)
      const key = `${frame.bot.botId}|${input.id}`
      const known = streams.get(key)
      if (!known || world.settings.countStreamFrames) frame.charge()
      const finish = input.finish === true && !(isInvisible(content) && !frame.images?.length)
      if (!known) {
        const message = world.chats.post({
          chat: frame.chat,
          sender: { type: 'bot', botId: frame.bot.botId, name: frame.bot.name },
          content: { type: 'stream', text: content, finished: finish, images: frame.images ?? [] },
          quoteId: frame.quoteId,
          feedbackId: input.feedback?.id,
        })
        streams.set(key, { message, startedAt: frame.countedFrom ?? world.clock.monotonic() })
        return finish
      }
      const shown = known.message.content
      if (known.message.chat !== frame.chat || shown.type !== 'stream')
        throw refuse(846605, 'stream of another chat')
      if (shown.finished) throw refuse(846608, 'stream is finished')
      if (world.clock.monotonic() - known.startedAt > world.settings.streamLimitSec * 1000)
        throw refuse(846608)
      if (!input.finish || finish) shown.text = content
      shown.finished = finish
      shown.images = frame.images ?? shown.images
      world.chats.touch(known.message)
      return finish
    },
  }
}
