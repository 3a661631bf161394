/** One message of a running answer: a WeCom stream, from its first frame to its last. */
import { createHash } from 'node:crypto'
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { LiveState, SentMessage } from '../../src/protocol/outbound.ts'

/** `lost`: made by an earlier process, so nobody knows what it shows. */
type BubbleState = 'open' | 'frozen' | 'final' | 'lost'

export interface Bubble {
  readonly key: string
  readonly part: number
  readonly reqId: string
  readonly chatId: string
  /** Wall time of the first frame, milliseconds. */
  readonly at: number
  /** Where in the text this bubble begins. */
  readonly base: number
  /** Of the text before `base`, to recognise it after a restart. */
  readonly digest: string
  /** Digest of the answer that WeCom may have taken as this bubble's last frame, in a try whose end nobody heard. */
  tried: string | undefined
  /** Whether a frame of it may have reached the chat; if none has, it need not be finished there. */
  mayStand: boolean
  state: BubbleState
  /** Text that an acknowledged frame showed, from the very beginning. */
  shown: string
  live: LiveState | undefined
  content: string
  turn: Promise<unknown>
  cancel: () => void
}

/** The fields that identify a new bubble: its answer, its part, and where it is sent. */
export type Seed = Pick<Bubble, 'key' | 'part' | 'reqId' | 'chatId' | 'base' | 'digest' | 'tried'>

export function seedOf(bubble: Bubble): Seed {
  const { key, part, reqId, chatId, base, digest, tried } = bubble
  return { key, part, reqId, chatId, base, digest, tried }
}

export function newBubble(seed: Seed, now: number): Bubble {
  return {
    ...seed,
    at: now,
    mayStand: false,
    state: 'open',
    shown: '',
    live: undefined,
    content: '',
    turn: Promise.resolve(),
    cancel: () => undefined,
  }
}

/** The stream id: follows from the message's key. */
export function idOf(bubble: Bubble): string {
  return bubble.part === 0 ? bubble.key : `${bubble.key}-${bubble.part}`
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** The handle stays the same as long as the bubble does, so that the core need not store it again. */
export function sentOf(bubble: Bubble): SentMessage {
  const { key, part, reqId, at, base, digest } = bubble
  return { messageId: idOf(bubble), handle: { kind: 'stream', key, part, reqId, at, base, digest } }
}

/**
 * Reported before a final frame, so that a retry after a crash repeats the very same frame, and before the first
 * one, without a `final`, so that whatever comes next goes into the same bubble.
 */
export function preparedOf({ part, base, at }: Bubble, final = ''): SentMessage['handle'] {
  return { kind: 'stream', part, base, at, final, repeatable: true }
}

/** What {@link preparedOf} reported in an interrupted try. */
export function preparedIn(
  options: SendOptions,
): (Pick<Seed, 'part' | 'base' | 'tried'> & { at: number }) | undefined {
  const { kind, part, base, at, final } = options.prepared ?? {}
  const whole = typeof part === 'number' && typeof base === 'number' && typeof at === 'number'
  if (kind !== 'stream' || !whole) return undefined
  return { part, base, at, tried: final === '' ? undefined : String(final) }
}

/** A bubble that only its stored handle tells of. */
export function restore(sent: SentMessage, chatId: string): Bubble {
  const { key, part, reqId, at, base, digest } = sent.handle
  const seed = {
    key: String(key),
    part: Number(part),
    reqId: String(reqId),
    chatId,
    base: Number(base),
    digest: String(digest),
    tried: undefined,
  }
  return { ...newBubble(seed, Number(at)), state: 'lost' }
}
