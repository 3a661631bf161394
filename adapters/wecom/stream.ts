/**
 * Running answers as stream bubbles. A frame replaces its bubble's whole text; a bubble is finished
 * before WeCom's time limit, before a card, and when it is full, and the answer goes on in the next
 * bubble. Stream ids follow from the message's key, so a repeated frame can never make a second bubble.
 */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { LiveState, SentMessage } from '../../src/protocol/outbound.ts'
import type { Clock, Logger, Translate } from '../../src/protocol/ports.ts'
import {
  type Bubble,
  digestOf,
  idOf,
  newBubble,
  preparedIn,
  preparedOf,
  restore,
  type Seed,
  seedOf,
  sentOf,
} from './bubble.ts'
import { errcodeOf, outcomeUnknown } from './errors.ts'
import { isFinal, paintLive } from './live-text.ts'
import { finalMarkdown } from './route.ts'

export interface StreamFrame {
  readonly id: string
  readonly finish: boolean
  readonly content: string
}

export interface StreamDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly text: Translate
  /** How long a bubble may change, margin already taken off, milliseconds. */
  readonly windowMs: number
  readonly maxBytes: number
  /** Puts a frame on the wire; resolves when acknowledged. */
  readonly sendFrame: (bubble: Bubble, frame: StreamFrame, options: SendOptions) => Promise<void>
  /** Sends what a dead req_id cannot carry any more. */
  readonly push: (to: Address, markdown: string, options: SendOptions) => Promise<SentMessage>
}

export interface LiveStreams {
  open(to: Address, reqId: string, live: LiveState, options: SendOptions): Promise<SentMessage>
  update(sent: SentMessage, to: Address, live: LiveState, options: SendOptions): Promise<SentMessage>
  /** Finishes every open bubble of a chat: WeCom refuses cards beside an open stream. */
  finishChat(chatId: string): Promise<void>
  stop(): void
}

/** Bubbles of one answer; a bound, so that no fault can go on for ever. */
const MAX_PARTS = 60
const INTERNAL: SendOptions = { key: 'internal', priority: 'high' }

export function createLiveStreams(deps: StreamDeps): LiveStreams {
  /** The newest bubble of each answer. */
  const bubbles = new Map<string, Bubble>()

  const start = (seed: Seed): Bubble => {
    const bubble = newBubble(seed, deps.clock.now())
    bubbles.set(seed.key, bubble)
    bubble.cancel = deps.clock.after(
      deps.windowMs,
      () => void freeze(bubble, deps.text('wecom.live.continued')),
    )
    return bubble
  }

  /** Goes on in a bubble whose final frame an interrupted try may have sent. */
  const adopt = (bubble: Bubble): Bubble => {
    bubbles.set(bubble.key, bubble)
    return bubble
  }

  const next = (bubble: Bubble, live: LiveState): Bubble => {
    bubble.cancel()
    const base = live.text.startsWith(bubble.shown) ? bubble.shown.length : 0
    const { key, reqId, chatId, part } = bubble
    return start({
      key,
      reqId,
      chatId,
      part: part + 1,
      base,
      digest: digestOf(live.text.slice(0, base)),
      repeat: false,
    })
  }

  /** Ends a bubble that another one will continue. Never rejects: the next bubble says everything. */
  const freeze = (bubble: Bubble, note?: string): Promise<void> =>
    inTurn(bubble, async () => {
      if (bubble.state !== 'open' || bubble.live === undefined) return
      // A final whose acknowledgement was lost is only repeated, not announced as going on.
      const ending = isFinal(bubble.live) ? undefined : note
      const painted = paintLive(bubble.live, bubble.base, deps.maxBytes, deps.text, ending)
      bubble.state = 'frozen'
      try {
        await deps.sendFrame(bubble, { id: idOf(bubble), finish: true, content: painted.content }, INTERNAL)
        bubble.shown = bubble.live.text.slice(0, painted.shown)
      } catch (error) {
        deps.logger.warn(
          { error: String(error), stream: idOf(bubble) },
          'wecom: a running answer could not be closed',
        )
      }
      bubble.cancel()
    })

  /** Shows a state in as many bubbles as it takes; returns the last one. */
  const show = async (first: Bubble, live: LiveState, options: SendOptions): Promise<Bubble> => {
    let bubble = first
    while (bubble.part < MAX_PARTS) {
      if (bubble.state === 'lost') bubble = await succeed(bubble, live, options)
      if (bubble.state === 'final' && !isFinal(live)) return bubble
      if (bubble.state === 'frozen' || bubble.state === 'final') {
        if (isFinal(live) && saysAll(bubble, live)) return bubble
        bubble = next(bubble, live)
      }
      await frame(bubble, live, options)
      if (bubble.state !== 'frozen') return bubble
    }
    throw new AppError('wecom.too_long', `an answer of more than ${MAX_PARTS} messages`)
  }

  /** Sends one frame. Afterwards the bubble is open, final, or frozen with a rest to show. */
  const frame = async (bubble: Bubble, live: LiveState, options: SendOptions): Promise<void> => {
    const fits = paintLive(live, bubble.base, deps.maxBytes, deps.text)
    const full = fits.shown < live.text.length
    const painted = full
      ? paintLive(live, bubble.base, deps.maxBytes, deps.text, deps.text('wecom.live.below'))
      : fits
    const finish = full || isFinal(live)
    bubble.live = live
    if (!finish && painted.content === bubble.content) return
    if (finish && !full) await options.onPrepared?.(preparedOf(bubble))
    const fresh = bubble.content === ''
    try {
      await deps.sendFrame(bubble, { id: idOf(bubble), finish, content: painted.content }, options)
    } catch (error) {
      return recover(bubble, live, error, { finish, fresh })
    }
    bubble.content = painted.content
    bubble.shown = live.text.slice(0, painted.shown)
    if (finish) bubble.cancel()
    bubble.state = full ? 'frozen' : finish ? 'final' : 'open'
  }

  const recover = (
    bubble: Bubble,
    live: LiveState,
    error: unknown,
    was: { finish: boolean; fresh: boolean },
  ): void => {
    const code = error instanceof AppError ? error.code : ''
    // A lost or postponed refresh harms nobody: the next frame carries everything.
    const passing = code === 'wecom.outcome_unknown' || code === 'wecom.rate_limited'
    if (!was.finish && !was.fresh && passing) return
    const refused = errcodeOf(error) !== undefined && !isPassing(error) && code !== 'wecom.reply_expired'
    const expired = code === 'wecom.stream_expired'
    if (!refused || (was.fresh && !bubble.repeat && !expired)) throw error
    if (!bubble.repeat) {
      bubble.state = 'frozen'
      return
    }
    // Frames of finished streams are refused, so this final was accepted before; when the time is over as
    // well, nobody can tell.
    if (expired && deps.clock.now() - bubble.at >= deps.windowMs) throw outcomeUnknown('final frame', error)
    bubble.shown = live.text
    bubble.state = 'final'
  }

  /** After a restart: closes what may still be open, and goes on in a new bubble. */
  const succeed = async (old: Bubble, live: LiveState, options: SendOptions): Promise<Bubble> => {
    const { key, reqId, chatId } = old
    const repeated = preparedIn(options)
    if (repeated)
      return adopt(
        newBubble({ ...seedOf(old), part: repeated.part, base: repeated.base, repeat: true }, repeated.at),
      )
    const note = deps.text('wecom.live.moved')
    await deps
      .sendFrame(old, { id: idOf(old), finish: true, content: note }, INTERNAL)
      .catch((error: unknown) => {
        deps.logger.debug(
          { error: String(error) },
          'wecom: the bubble of an earlier process was closed already',
        )
      })
    const known = digestOf(live.text.slice(0, old.base)) === old.digest
    const base = known ? old.base : 0
    return start({
      key,
      reqId,
      chatId,
      part: old.part + 1,
      base,
      digest: digestOf(live.text.slice(0, base)),
      repeat: false,
    })
  }

  const run = (bubble: Bubble, to: Address, live: LiveState, options: SendOptions): Promise<SentMessage> =>
    inTurn(bubble, async () => {
      const newest = bubbles.get(bubble.key) ?? bubble
      if (newest !== bubble) return run(newest, to, live, options)
      try {
        return sentOf(await show(bubble, live, options))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'wecom.reply_expired') throw error
        return pushRest(bubbles.get(bubble.key) ?? bubble, to, live, options)
      }
    })

  /** The req_id is dead: nothing more can run, and the final's rest becomes a message of its own. */
  const pushRest = async (
    bubble: Bubble,
    to: Address,
    live: LiveState,
    options: SendOptions,
  ): Promise<SentMessage> => {
    bubble.cancel()
    bubble.state = 'frozen'
    if (!isFinal(live)) return { messageId: idOf(bubble), handle: { kind: 'deferred' } }
    const rest = live.text.startsWith(bubble.shown) ? live.text.slice(bubble.shown.length) : live.text
    return deps.push(to, finalMarkdown({ ...live, text: rest }), options)
  }

  return {
    open: (to, reqId, live, options) => {
      const { key } = options
      const seed = { key, reqId, chatId: to.chatId, part: 0, base: 0, digest: digestOf(''), repeat: false }
      const repeated = preparedIn(options) && { ...newBubble(seed, deps.clock.now()), state: 'lost' as const }
      const bubble = bubbles.get(key) ?? repeated ?? start(seed)
      return run(bubble, to, live, options)
    },
    update: async (sent, to, live, options) => {
      const restored = restore(sent, to.chatId)
      const bubble = bubbles.get(restored.key) ?? restored
      const result = await run(bubble, to, live, options)
      if (isFinal(live)) forgetLater(bubbles, restored.key, deps.clock)
      return result
    },
    finishChat: async (chatId) => {
      const open = [...bubbles.values()].filter(
        (bubble) => bubble.chatId === chatId && bubble.state === 'open',
      )
      for (const bubble of open) {
        if (bubble.live) bubble.live = { ...bubble.live, label: deps.text('wecom.live.waiting') }
        await freeze(bubble)
      }
    },
    stop: () => {
      for (const bubble of bubbles.values()) bubble.cancel()
    },
  }
}

/** True when nothing is left to show. */
function saysAll(bubble: Bubble, live: LiveState): boolean {
  return live.text === bubble.shown && (live.text !== '' || bubble.state === 'final')
}

/** Repeats of a final must find its bubble for a while. */
const REMEMBER_MS = 10 * 60_000

function forgetLater(bubbles: Map<string, Bubble>, key: string, clock: Clock): void {
  clock.after(REMEMBER_MS, () => {
    if (bubbles.get(key)?.state !== 'open') bubbles.delete(key)
  })
}

function isPassing(error: unknown): boolean {
  return error instanceof AppError && (error.retryable || error.code === 'wecom.outcome_unknown')
}

/** One thing at a time per bubble: a timer must not overtake a frame. */
function inTurn<T>(bubble: Bubble, task: () => Promise<T>): Promise<T> {
  const turn = bubble.turn.then(task)
  bubble.turn = turn.catch(() => undefined)
  return turn
}
