/** The newest bubble of each running answer, and the timer that ends it before WeCom's limit. */
import type { LiveState } from '../../src/protocol/outbound.ts'
import { type Bubble, digestOf, idOf, newBubble, type Seed } from './bubble.ts'
import { isFinal, paintLive } from './live-text.ts'
import type { StreamDeps } from './stream.ts'

export interface BubbleBook {
  newest(key: string): Bubble | undefined
  open(chatId: string): readonly Bubble[]
  /** Begins a bubble, or goes on with one of `at`; it ends by itself when its window closes. */
  start(seed: Seed, at?: number): Bubble
  /** Begins the bubble that goes on where `bubble` ended. */
  next(bubble: Bubble, live: LiveState): Bubble
  /** Ends a bubble that another one will continue. Never rejects: the next bubble says everything. */
  freeze(bubble: Bubble, note?: string): Promise<void>
  /** Counts the answers in a row that did not say whether the bubble ended. */
  countUnclear(bubble: Bubble): number
  forgetUnclear(bubble: Bubble): void
  /** Forgets an ended answer after a while; until then repeats of its final find it. */
  forgetLater(key: string): void
  stop(): void
}

const REMEMBER_MS = 10 * 60_000
/** Longest silence after which an answer goes on in the bubble after a frozen one; later it begins as after a restart. */
const SILENCE_MS = 3_600_000

export function createBubbleBook(deps: StreamDeps): BubbleBook {
  const bubbles = new Map<string, Bubble>()
  const unclear = new Map<string, number>()

  const start: BubbleBook['start'] = (seed, at = deps.clock.now()) => {
    const bubble = newBubble(seed, at)
    bubbles.set(bubble.key, bubble)
    const end = (): void => void freeze(bubble, deps.text('wecom.live.continued'))
    bubble.cancel = deps.clock.after(Math.max(0, at + deps.windowMs - deps.clock.now()), end)
    return bubble
  }
  const freeze: BubbleBook['freeze'] = (bubble, note) =>
    inTurn(bubble, async () => {
      if (bubble.state !== 'open' || !bubble.mayStand || bubble.live === undefined) return
      // Whoever sends a final repeats it until its outcome is known; said here as well, it might stand twice.
      if (isFinal(bubble.live)) return
      bubble.cancel()
      bubble.state = 'frozen'
      // After an approval its run goes on under another key, and nobody asks for this one again.
      deps.clock.after(SILENCE_MS, () => {
        if (bubbles.get(bubble.key) === bubble) bubbles.delete(bubble.key)
      })
      await sendLast(bubble, bubble.live, deps, note)
    })

  return {
    newest: (key) => bubbles.get(key),
    open: (chatId) => [...bubbles.values()].filter((one) => one.chatId === chatId && one.state === 'open'),
    start,
    next: (bubble, live) => {
      bubble.cancel()
      const base = live.text.startsWith(bubble.shown) ? bubble.shown.length : 0
      const { key, reqId, chatId, part } = bubble
      const digest = digestOf(live.text.slice(0, base))
      return start({ key, reqId, chatId, part: part + 1, base, digest, tried: undefined })
    },
    freeze,
    countUnclear: (bubble) => {
      const count = (unclear.get(idOf(bubble)) ?? 0) + 1
      unclear.set(idOf(bubble), count)
      return count
    },
    forgetUnclear: (bubble) => unclear.delete(idOf(bubble)),
    forgetLater: (key) => {
      deps.clock.after(REMEMBER_MS, () => {
        if (bubbles.get(key)?.state !== 'open') bubbles.delete(key)
      })
    },
    stop: () => {
      for (const bubble of bubbles.values()) bubble.cancel()
    },
  }
}

async function sendLast(bubble: Bubble, live: LiveState, deps: StreamDeps, note?: string): Promise<void> {
  const painted = paintLive(live, bubble.base, deps.maxBytes, deps.text, note)
  const frame = { id: idOf(bubble), finish: true, content: painted.content }
  try {
    await deps.sendFrame(bubble, frame, { key: 'internal', priority: 'high' })
    bubble.shown = live.text.slice(0, painted.shown)
  } catch (error) {
    deps.logger.warn(
      { error: String(error), stream: idOf(bubble) },
      'wecom: a running answer could not be closed',
    )
  }
}

/** One thing at a time per bubble: a timer must not overtake a frame. */
export function inTurn<T>(bubble: Bubble, task: () => Promise<T>): Promise<T> {
  const turn = bubble.turn.then(task)
  bubble.turn = turn.catch(() => undefined)
  return turn
}
