/** Answers to platforms: what their adapter says, or a refusal in a few plain words. */
import type { ServerResponse } from 'node:http'
import type { RawResponse } from '../protocol/adapter.ts'

const REASONS: Readonly<Record<number, string>> = {
  400: 'bad request',
  404: 'no bot listens here',
  405: 'only GET and POST',
  408: 'the body did not arrive in time',
  413: 'the body is too large',
  415: 'compressed bodies are not accepted',
  500: 'failed',
  503: 'not answered in time',
}

const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** Refuses and closes the socket, so that what is still on its way is never read. */
export function answerAndClose(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return
  const body = REASONS[status] ?? 'refused'
  response.writeHead(status, {
    ...ALWAYS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(status === 405 ? { allow: 'GET, POST' } : {}),
  })
  response.end(body)
}

const ANSWER_HEADERS = { ...ALWAYS, 'content-type': 'text/plain; charset=utf-8' }

const NO_HEADERS = {}

/**
 * Makes what sends an adapter's answer. Adapters answer nearly every event with one and the same object of
 * headers, so the list that Node writes is made once for each such object.
 */
export function createAnswer(): (response: ServerResponse, raw: RawResponse) => void {
  const lists = new WeakMap<object, readonly string[]>()
  const listOf = (headers: NonNullable<RawResponse['headers']>): readonly string[] => {
    const known = lists.get(headers)
    if (known) return known
    const list = Object.entries({ ...ANSWER_HEADERS, ...headers }).flat()
    lists.set(headers, list)
    return list
  }
  return (response, raw) => {
    if (response.headersSent || response.destroyed) return
    const body = raw.body ?? ''
    const length = String(Buffer.byteLength(body))
    response.writeHead(raw.status, [...listOf(raw.headers ?? NO_HEADERS), 'content-length', length])
    response.end(body)
  }
}
