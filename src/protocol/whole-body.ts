/**
 * The bytes of a file from as many connections as it takes (R38). What broke off goes on where it stopped, if the
 * other side can continue the very same file; a broken download is never patched together from two versions.
 */
import type { Clock } from './ports.ts'

/** How to continue a download that broke off. */
export interface Reopening {
  /** Asks for the rest, by the value of a `Range` header. */
  readonly reopen: (range: string) => Promise<Response>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** So often one file goes on; whoever breaks off again and again is left. */
const MOST_RESUMES = 3
const WAIT_MS = 500

/** Rejects like the body itself when it cannot go on. `first` answers without a `Range`. */
export async function* wholeBody(first: Response, reopening: Reopening): AsyncGenerator<Uint8Array> {
  let body: Response['body'] | undefined = first.body
  let got = 0
  for (let resumes = 0; ; resumes++) {
    try {
      for await (const chunk of body ?? []) {
        got += chunk.byteLength
        yield chunk
      }
      return
    } catch (cause) {
      if (resumes >= MOST_RESUMES || reopening.signal.aborted) throw cause
      await reopening.clock.sleep(WAIT_MS * 2 ** resumes, reopening.signal)
      body = await bodyFrom(first, got, reopening)
      if (!body) throw cause
    }
  }
}

/** The rest of the first answer's file; undefined where the other side does not continue it. */
async function bodyFrom(
  first: Response,
  got: number,
  { reopen }: Reopening,
): Promise<Response['body'] | undefined> {
  const length = first.headers.get('content-length')
  // Without a length nobody knows what is whole, and a compressed body counts other bytes than its ranges.
  if (length === null || first.headers.has('content-encoding')) return undefined
  const next = await reopen(`bytes=${got}-`).catch(() => undefined)
  if (!next) return undefined
  const isSameFile = VERSIONS.every((name) => isSame(first, next, name))
  if (isSameFile && (isRest(next, got, length) || isAll(next, got, length))) return next.body
  await next.body?.cancel()
  return undefined
}

function isRest({ status, headers }: Response, got: number, length: string): boolean {
  return status === 206 && headers.get('content-range') === `bytes ${got}-${Number(length) - 1}/${length}`
}

/** Nothing had come yet, and all of it comes now. */
function isAll({ status, headers }: Response, got: number, length: string): boolean {
  return got === 0 && status === 200 && headers.get('content-length') === length
}

const VERSIONS = ['etag', 'last-modified']

function isSame(first: Response, next: Response, header: string): boolean {
  const [before, now] = [first.headers.get(header), next.headers.get(header)]
  return before === null || now === null || before === now
}
