/**
 * Answers of a URL-callback bot: WeCom polls for them, so the newest state waits here. Only what is
 * being polled right now is kept; after a restart every unknown stream is told to end.
 */
import type { Clock } from '../../src/protocol/ports.ts'

interface PolledStream {
  content: string
  finish: boolean
  /** True once a running message of the core writes here. */
  attached: boolean
}

export interface PollBoard extends Welcomes {
  /** Opens the stream of a message; an already open one is kept (repeated delivery). */
  open(id: string, placeholder: string): void
  get(id: string): PolledStream | undefined
  /** Shows new content; false when the stream is unknown or finished. */
  show(id: string, content: string): boolean
  /** Finishes, and resolves to true when a poll took it, to false when none came in time. */
  finish(id: string, content: string): Promise<boolean>
  /** What a poll gets. An unknown stream is told to end with `unknown`. */
  poll(id: string, unknown: string): { content: string; finish: boolean }
}

/** Welcomes that open requests of WeCom wait for. */
interface Welcomes {
  /** Resolves to undefined when nobody writes one within `ms` milliseconds. */
  awaitWelcome(id: string, ms: number): Promise<string | undefined>
  /** Hands in a welcome; false when no request waits. */
  welcome(id: string, content: string): boolean
}

/** WeCom polls about every second; when none comes for so long, it has given up. */
const TAKEN_WITHIN_MS = 10_000

/** @param windowMs after it a stream ends with `late`, because WeCom stops polling */
export function createPollBoard(clock: Clock, windowMs: number, late: string): PollBoard {
  const streams = new Map<string, PolledStream>()
  const takers = new Map<string, () => void>()

  const close = (id: string): void => {
    const stream = streams.get(id)
    if (stream && !stream.finish)
      Object.assign(stream, { content: `${stream.content}\n\n${late}`, finish: true })
    clock.after(windowMs, () => streams.delete(id))
  }

  return {
    open: (id, placeholder) => {
      if (streams.has(id)) return
      streams.set(id, { content: placeholder, finish: false, attached: false })
      clock.after(windowMs, () => close(id))
    },
    get: (id) => streams.get(id),
    show: (id, content) => {
      const stream = streams.get(id)
      if (stream === undefined || stream.finish) return false
      stream.content = content
      return true
    },
    finish: (id, content) =>
      new Promise((resolve) => {
        const stream = streams.get(id)
        if (stream === undefined || stream.finish) return resolve(false)
        Object.assign(stream, { content, finish: true })
        const cancel = clock.after(TAKEN_WITHIN_MS, () => {
          takers.delete(id)
          // Whoever polls now must not get what is sent another way.
          stream.content = late
          resolve(false)
        })
        takers.set(id, () => {
          cancel()
          takers.delete(id)
          resolve(true)
        })
      }),
    poll: (id, unknown) => {
      const stream = streams.get(id)
      if (stream === undefined) return { content: unknown, finish: true }
      if (stream.finish) takers.get(id)?.()
      return { content: stream.content, finish: stream.finish }
    },
    ...createWelcomes(clock),
  }
}

function createWelcomes(clock: Clock): Welcomes {
  const waiting = new Map<string, (content: string) => void>()
  return {
    awaitWelcome: (id, ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, () => {
          waiting.delete(id)
          resolve(undefined)
        })
        waiting.set(id, (content) => {
          cancel()
          waiting.delete(id)
          resolve(content)
        })
      }),
    welcome: (id, content) => {
      const take = waiting.get(id)
      take?.(content)
      return take !== undefined
    },
  }
}
