import { z } from 'zod'
import { AppError } from '../../../src/protocol/errors.ts'
import type { SentMessage } from '../../../src/protocol/outbound.ts'

const handleSchema = z.union([
  /** A CardKit entity; `sequence` is the last one that was used on it. */
  z.object({ mode: z.literal('cardkit'), cardId: z.string().min(1), sequence: z.number().default(0) }),
  /** A card sent as message content. */
  z.object({ mode: z.literal('patch') }),
  /** A text that stands for a card which Feishu would not take; only its end is sent, as a new message. */
  z.object({ mode: z.literal('plain') }),
  z.object({ mode: z.literal('text') }),
  z.object({ mode: z.literal('file') }),
])

/** How a sent message can be changed later. */
type Handle = z.output<typeof handleSchema>

/** Reads what an earlier call, perhaps of another process, left in the store. */
export function parseHandle(handle: SentMessage['handle']): Handle {
  const parsed = handleSchema.safeParse(handle)
  if (parsed.success) return parsed.data
  throw new AppError('feishu.not_updatable', 'the stored handle is not one of this adapter', {
    hint: 'A new message is sent instead.',
    cause: parsed.error,
  })
}
