/**
 * Running answers as stream bubbles. A frame replaces its bubble's whole text; a bubble is finished
 * before WeCom's time limit, before a card, and when it is full, and the answer goes on in the next
 * bubble. Stream ids follow from the message's key, so a repeated frame can never make a second bubble.
 */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
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
  seedOf,
  sentOf,
} from './bubble.ts'
import { type BubbleBook, createBubbleBook, inTurn } from './bubble-book.ts'
import { errcodeOf, outcomeUnknown } from './errors.ts'
import { isFinal, type Painted, paintLive } from './live-text.ts'
import { finalMarkdown } from './route.ts'

interface StreamFrame {
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

export function createLiveStreams(deps: StreamDeps): LiveStreams {
  const book = createBubbleBook(deps)

  const run = (bubble: Bubble, to: Address, live: LiveState, options: SendOptions): Promise<SentMessage> =>
    inTurn(bubble, async () => {
      const newest = book.newest(bubble.key) ?? bubble
      if (newest !== bubble) return run(newest, to, live, options)
      try {
        return sentOf(await show(deps, book, bubble, live, options))
      } catch (error) {
        if (!isAppError(error, 'wecom.reply_expired')) throw error
        const last = book.newest(bubble.key) ?? bubble
        if (mayBeSaid(last, live)) throw outcomeUnknown('final frame', error)
        return pushRest(deps, last, to, live, options)
      }
    })

  return {
    open: async (to, reqId, live, options) => {
      const { key } = options
      const seed = { key, reqId, chatId: to.chatId, part: 0, base: 0, digest: digestOf(''), tried: undefined }
      const repeated = preparedIn(options) && { ...newBubble(seed, deps.clock.now()), state: 'lost' as const }
      const result = await run(book.newest(key) ?? repeated ?? book.start(seed), to, live, options)
      if (isFinal(live)) book.forgetLater(key)
      return result
    },
    update: async (sent, to, live, given) => {
      // How the first bubble was to begin says nothing about the one that was sent.
      const { prepared: _first, ...plain } = given
      const before = preparedIn(given)
      const options = before && before.tried === undefined ? plain : given
      const restored = restore(sent, to.chatId)
      const bubble = book.newest(restored.key) ?? restored
      if (options.repaint === true && bubble.state !== 'open') {
        if (bubble.state === 'lost')
          await closeOld(deps, book, bubble, paintLive(live, 0, deps.maxBytes, deps.text).content, options)
        return sent
      }
      const result = await run(bubble, to, live, options)
      if (isFinal(live)) book.forgetLater(restored.key)
      return result
    },
    finishChat: async (chatId) => {
      for (const bubble of book.open(chatId)) {
        if (bubble.live) bubble.live = { ...bubble.live, label: deps.text('wecom.live.waiting') }
        await book.freeze(bubble)
      }
    },
    stop: book.stop,
  }
}

/** Shows a state in as many bubbles as it takes; returns the last one. */
async function show(
  deps: StreamDeps,
  book: BubbleBook,
  first: Bubble,
  live: LiveState,
  options: SendOptions,
): Promise<Bubble> {
  let bubble = first
  while (bubble.part < MAX_PARTS) {
    if (bubble.state === 'lost') bubble = await succeed(deps, book, bubble, live, options)
    if (bubble.state === 'final' && !isFinal(live)) return bubble
    if (bubble.state === 'frozen' || bubble.state === 'final') {
      if (isFinal(live) && saysAll(bubble, live)) return bubble
      bubble = book.next(bubble, live)
    }
    await sendState(deps, bubble, live, options)
    if (bubble.state !== 'frozen') return bubble
  }
  throw new AppError('wecom.too_long', `an answer of more than ${MAX_PARTS} messages`)
}

/** Sends one frame. Afterwards the bubble is open, final, or frozen with a rest to show. */
async function sendState(
  deps: StreamDeps,
  bubble: Bubble,
  live: LiveState,
  options: SendOptions,
): Promise<void> {
  const { painted, full } = paint(deps, bubble, live)
  const finish = full || isFinal(live)
  const fresh = bubble.content === ''
  bubble.live = live
  if (!finish && painted.content === bubble.content) return
  if (finish && !full) await options.onPrepared?.(preparedOf(bubble, digestOf(live.text)))
  else if (fresh && bubble.part === 0 && !options.prepared) await options.onPrepared?.(preparedOf(bubble))
  try {
    await deps.sendFrame(bubble, { id: idOf(bubble), finish, content: painted.content }, options)
  } catch (error) {
    if (recover(deps, bubble, live, error, { finish, fresh }) === 'goes on') return
  }
  bubble.mayStand = true
  bubble.content = painted.content
  bubble.shown = live.text.slice(0, painted.shown)
  if (finish) bubble.cancel()
  bubble.state = full ? 'frozen' : finish ? 'final' : 'open'
}

/** `full`: the rest of the text needs another bubble, and this one says so. */
function paint(deps: StreamDeps, bubble: Bubble, live: LiveState): { painted: Painted; full: boolean } {
  const whole = paintLive(live, bubble.base, deps.maxBytes, deps.text)
  if (whole.shown === live.text.length) return { painted: whole, full: false }
  const note = deps.text('wecom.live.below')
  return { painted: paintLive(live, bubble.base, deps.maxBytes, deps.text, note), full: true }
}

/** Decides what a failed frame means: that it stands after all, that another one will do, or an error. */
function recover(
  deps: StreamDeps,
  bubble: Bubble,
  live: LiveState,
  error: unknown,
  was: { finish: boolean; fresh: boolean },
): 'stands' | 'goes on' {
  const isLate = deps.clock.now() - bubble.at >= deps.windowMs
  const isUnheard = isAppError(error, 'wecom.outcome_unknown')
  bubble.mayStand ||= isUnheard
  if (isUnheard && was.finish) bubble.tried = digestOf(live.text)
  // A lost or postponed refresh harms nobody: the next frame carries everything.
  if (!was.finish && !was.fresh && (isUnheard || isAppError(error, 'wecom.rate_limited'))) return 'goes on'
  // The same frame again replaces the first, or is refused because that one ended the bubble.
  if (isUnheard && !isLate) throw repeatable(error)
  const expired = isAppError(error, 'wecom.stream_expired')
  if (!isRefusal(error) || (was.fresh && bubble.tried === undefined && !expired)) throw error
  if (was.finish && mayBeSaid(bubble, live)) {
    // Frames of finished streams are refused, so this one was accepted before; when the time is over as
    // well, nobody can tell.
    if (expired && isLate) throw outcomeUnknown('final frame', error)
    return 'stands'
  }
  // What an unheard try ended goes on only when the answer turns out to be another one.
  bubble.state = bubble.tried === undefined || was.finish ? 'frozen' : 'final'
  return 'goes on'
}

/** Whether an earlier attempt without a response may have shown exactly this answer. */
function mayBeSaid(bubble: Bubble, live: LiveState): boolean {
  return bubble.tried === digestOf(live.text)
}

/** The same error, marked as retryable: a repeated frame replaces the first. */
function repeatable(error: AppError): AppError {
  return new AppError(error.code, error.message, { hint: error.hint, cause: error, retryable: true })
}

/** True for a definite refusal, which a retry would not change. */
function isRefusal(error: unknown): boolean {
  const final = error instanceof AppError && !error.retryable && error.code !== 'wecom.reply_expired'
  return final && errcodeOf(error) !== undefined
}

/** After a restart: closes what may still be open, and goes on in a new bubble. */
async function succeed(
  deps: StreamDeps,
  book: BubbleBook,
  old: Bubble,
  live: LiveState,
  options: SendOptions,
): Promise<Bubble> {
  const repeated = preparedIn(options)
  if (repeated) {
    const { at, ...place } = repeated
    const bubble = book.start({ ...seedOf(old), ...place }, at)
    bubble.mayStand = true
    return bubble
  }
  await closeOld(deps, book, old, deps.text('wecom.live.moved'), options)
  const base = digestOf(live.text.slice(0, old.base)) === old.digest ? old.base : 0
  const digest = digestOf(live.text.slice(0, base))
  return book.start({ ...seedOf(old), part: old.part + 1, base, digest, tried: undefined })
}

/**
 * Ends the bubble of an earlier process with these words, if it still runs. Rejects when WeCom did not say
 * whether it does: it may show the whole answer, which the next bubble would say a second time.
 */
async function closeOld(
  deps: StreamDeps,
  book: BubbleBook,
  old: Bubble,
  content: string,
  options: SendOptions,
): Promise<void> {
  const frame = { id: idOf(old), finish: true, content }
  try {
    await deps.sendFrame(old, frame, options)
  } catch (error) {
    if (!isRefusal(error) && !isAppError(error, 'wecom.reply_expired')) {
      throw neverBegan(error, options) ? error : unclear(deps, book, old, error)
    }
    deps.logger.debug({ error: String(error) }, 'wecom: the bubble of an earlier process was closed already')
  }
  book.forgetUnclear(old)
}

/** It was given back before it was on the wire, or may simply be tried again. */
function neverBegan(error: unknown, { signal }: SendOptions): boolean {
  // On the wire when a stop ended the waiting: it may have arrived, and must be told again after the start.
  if (isAppError(error, 'wecom.outcome_unknown')) return false
  return signal?.aborted === true || (isAppError(error) && error.retryable)
}

/** Unclear answers in a row, after the bubble's time, that are waited for. */
const MOST_UNCLEAR = 6

/**
 * No answer, or one that cannot be read. The same frame again ends the bubble, or is refused because it ended.
 * Past its time WeCom has ended it: who does not say so even then never will, and the chat must go on.
 */
function unclear(deps: StreamDeps, book: BubbleBook, old: Bubble, error: unknown): AppError {
  const count = book.countUnclear(old)
  const unheard = isAppError(error, 'wecom.outcome_unknown') ? error : outcomeUnknown('closing frame', error)
  if (deps.clock.now() - old.at < deps.windowMs || count <= MOST_UNCLEAR) return repeatable(unheard)
  book.forgetUnclear(old)
  return unheard
}

/** The req_id is dead: nothing more can run, and the final's rest becomes a message of its own. */
async function pushRest(
  deps: StreamDeps,
  bubble: Bubble,
  to: Address,
  live: LiveState,
  options: SendOptions,
): Promise<SentMessage> {
  bubble.cancel()
  bubble.state = 'frozen'
  if (!isFinal(live)) return { messageId: idOf(bubble), handle: { kind: 'deferred' } }
  const rest = live.text.startsWith(bubble.shown) ? live.text.slice(bubble.shown.length) : live.text
  return deps.push(to, finalMarkdown({ ...live, text: rest }), options)
}

/** True when nothing is left to show. */
function saysAll(bubble: Bubble, live: LiveState): boolean {
  if (bubble.state === 'final' && mayBeSaid(bubble, live)) return true
  return live.text === bubble.shown && (live.text !== '' || bubble.state === 'final')
}
