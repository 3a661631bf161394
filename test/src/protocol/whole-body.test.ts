import { describe, expect, it } from 'vitest'
import { wholeBody } from '../../../src/protocol/whole-body.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'

const FILE = Buffer.from('0123456789')
const BROKEN = new Error('terminated')

/** An answer with these bytes, that breaks behind them unless it is `whole`. */
function answer(
  bytes: Buffer,
  headers: Record<string, string>,
  { status = 200, whole = true } = {},
): Response {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes))
      bytes = bytes.subarray(bytes.length)
      if (whole) controller.close()
      else if (controller.desiredSize === 1) controller.error(BROKEN)
    },
  })
  return new Response(body, { status, headers })
}
const first = (headers: Record<string, string> = {}): Response =>
  answer(FILE.subarray(0, 4), { 'content-length': '10', ...headers }, { whole: false })
const rest = (headers: Record<string, string> = {}): Response =>
  answer(FILE.subarray(4), { 'content-range': 'bytes 4-9/10', ...headers }, { status: 206 })

/** What comes in the end, and the ranges that were asked for. */
async function read(
  start: Response,
  answers: readonly (Response | Error)[],
  clock: ManualClock = createManualClock(),
): Promise<{ bytes: string; ranges: string[]; error?: unknown }> {
  const ranges: string[] = []
  let bytes = ''
  const reopen = async (range: string): Promise<Response> => {
    const next = answers[ranges.push(range) - 1]
    if (next instanceof Response) return next
    throw next ?? new Error('nothing more')
  }
  const { signal } = new AbortController()
  const reading = (async () => {
    for await (const chunk of wholeBody(start, { reopen, clock, signal }))
      bytes += Buffer.from(chunk).toString()
  })().then(
    () => ({}),
    (error: unknown) => ({ error }),
  )
  await clock.advance(60_000)
  return { bytes, ranges, ...(await reading) }
}

describe('R38: a download that breaks off', () => {
  it('goes on where it stopped, as often as three times', async () => {
    const piece = answer(
      FILE.subarray(4, 6),
      { 'content-range': 'bytes 4-9/10' },
      { status: 206, whole: false },
    )
    const last = answer(FILE.subarray(6), { 'content-range': 'bytes 6-9/10' }, { status: 206 })
    expect(await read(first(), [piece, last])).toEqual({
      bytes: '0123456789',
      ranges: ['bytes=4-', 'bytes=6-'],
    })
  })

  it('is given up when it breaks off again and again', async () => {
    const nothing = () =>
      answer(Buffer.alloc(0), { 'content-range': 'bytes 4-9/10' }, { status: 206, whole: false })
    const { error, ranges } = await read(first(), [nothing(), nothing(), nothing(), nothing()])
    expect(error).toBe(BROKEN)
    expect(ranges).toHaveLength(3)
  })

  it.each([
    ['begins anew instead', first(), answer(FILE, { 'content-length': '10' })],
    ['continues elsewhere', first(), rest({ 'content-range': 'bytes 3-9/10' })],
    ['continues a file of another length', first(), rest({ 'content-range': 'bytes 4-10/11' })],
    ['continues another version', first({ etag: '"a"' }), rest({ etag: '"b"' })],
    ['refuses', first(), answer(Buffer.alloc(0), {}, { status: 416 })],
    ['cannot be reached', first(), new Error('unreachable')],
    ['never told the length', first({ 'content-length': '' }), rest()],
    ['sent it compressed', first({ 'content-encoding': 'br' }), rest()],
  ])('is never patched together where the other side %s', async (_what, start, next) => {
    const { error, bytes } = await read(start, [next])
    expect(error).toBe(BROKEN)
    expect(bytes).toBe('0123')
  })

  it('comes again whole when nothing of it had come', async () => {
    const none = answer(Buffer.alloc(0), { 'content-length': '10' }, { whole: false })
    const { bytes, error } = await read(none, [answer(FILE, { 'content-length': '10' })])
    expect({ bytes, error }).toEqual({ bytes: '0123456789' })
  })

  it('asks for nothing more when it came whole', async () => {
    expect(await read(answer(FILE, { 'content-length': '10' }), [])).toEqual({
      bytes: '0123456789',
      ranges: [],
    })
  })
})
