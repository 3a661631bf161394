/** Server-sent events: every change of every simulated platform, to every open page. */
import type { Request, Response } from 'express'
import type { PlaygroundBackend, PlaygroundChange, PlaygroundMcp } from '../protocol/playground.ts'
import type { Clock } from '../protocol/ports.ts'
import type { StreamEvent } from './playground-api.ts'

export interface EventStreamDeps {
  readonly backends: readonly PlaygroundBackend[]
  readonly mcp: Pick<PlaygroundMcp, 'onChange'>
  readonly clock: Clock
  readonly closing: AbortSignal
}

export interface EventStream {
  /** Answers `GET events`; the response stays open until the page leaves or the server closes. */
  open(request: Request, response: Response): void
  /** Number of the last event. */
  seq(): number
}

const HEARTBEAT_MS = 15_000
/** How long a page waits before it connects again. */
const RETRY_MS = 1_000
const MAX_PAGES = 32
/** A page that reads slower than this much behind is cut off; it connects again and reads everything. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024

export function createEventStream(deps: EventStreamDeps): EventStream {
  const pages = new Set<Response>()
  let seq = 0
  const send = (page: Response, event: StreamEvent): void => {
    if (page.writableLength > MAX_BEHIND_BYTES) return void page.destroy()
    page.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  const tellAll = (make: (seq: number) => StreamEvent): void => {
    seq += 1
    const event = make(seq)
    for (const page of pages) send(page, event)
  }
  const stops = [
    ...deps.backends.map((backend) =>
      backend.onChange((change) => tellAll((number) => eventOf(change, number, backend.platform))),
    ),
    deps.mcp.onChange(() => tellAll((number) => ({ type: 'mcp', seq: number }))),
  ]
  deps.closing.addEventListener('abort', () => {
    for (const stop of stops) stop()
    for (const page of pages) page.end()
  })
  return {
    seq: () => seq,
    open: (_request, response) => {
      if (pages.size >= MAX_PAGES || deps.closing.aborted) {
        const message = `at most ${MAX_PAGES} pages can watch at once`
        return void response.status(503).json({ error: { code: 'playground.too_many_pages', message } })
      }
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      pages.add(response)
      const cancel = beat(response, deps.clock)
      response.once('close', () => {
        cancel()
        pages.delete(response)
      })
      response.write(`retry: ${RETRY_MS}\n`)
      send(response, { type: 'hello', seq })
    },
  }
}

/** Writes a comment now and then, so that proxies keep the stream and dead peers are noticed. */
function beat(response: Response, clock: Clock): () => void {
  let cancel = (): void => {}
  const next = (): void => {
    cancel = clock.after(HEARTBEAT_MS, () => {
      response.write(': still here\n\n')
      next()
    })
  }
  next()
  return () => cancel()
}

function eventOf(change: PlaygroundChange, seq: number, platform: string): StreamEvent {
  switch (change.type) {
    case 'message':
      return { type: 'message', seq, platform, message: change.message }
    case 'chats':
      return { type: 'chats', seq, platform }
    case 'traffic':
      return { type: 'traffic', seq, platform }
    default: {
      const never: never = change
      return never
    }
  }
}
