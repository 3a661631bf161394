/**
 * Downloads what people sent: fetched from WeCom's hosts only, decrypted and counted while streaming,
 * written to a new private file. Nothing of the sender's naming decides where the bytes go.
 */
import { createDecipheriv } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { Attachment } from '../../src/protocol/inbound.ts'
import type { Clock } from '../../src/protocol/ports.ts'
import { type Reopening, wholeBody } from '../../src/protocol/whole-body.ts'
import type { AppApi } from './app-api.ts'
import type { AibotCallbackConfig } from './config.ts'
import { aesKey, PAD_BLOCK, unpad } from './crypto.ts'
import { wecomError } from './errors.ts'
import type { HostRule } from './host.ts'
import { answerSchema, withTimeout } from './http.ts'
import { mediaKeys } from './media-key.ts'

/** Life of a media URL (doc 100719), milliseconds. */
const URL_LIFE_MS = 5 * 60_000
const DOWNLOAD_TIMEOUT_MS = 120_000

interface MediaDeps {
  readonly clock: Clock
  readonly hosts: HostRule
  /** Keys of a URL-callback bot's media; a long connection gives one per URL. */
  readonly bot?: AibotCallbackConfig
  readonly app?: AppApi
}

interface Download {
  readonly path: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Returns the sender's name for the file, empty when WeCom does not tell it, and the size of its plaintext. */
export async function downloadMedia(
  attachment: Attachment,
  target: Download,
  deps: MediaDeps,
): Promise<{ name: string; bytes: number }> {
  const { mediaId, url, at } = attachment.handle
  if (mediaId !== undefined) return downloadAppMedia(mediaId, attachment, target, deps)
  if (url === undefined) throw new AppError('wecom.media_gone', 'an attachment without an address')
  if (deps.clock.now() - Number(at) > URL_LIFE_MS) throw expired()
  const { href } = deps.hosts.check(url)
  const [key, ...others] = mediaKeys(attachment.handle, deps.bot)
  if (key === undefined) return fetchInto(href, attachment, target, plainSink(), deps.clock)
  try {
    return await fetchInto(href, attachment, target, decryptingSink(aesKey(key)), deps.clock)
  } catch (error) {
    const [other] = others
    if (other === undefined || !isAppError(error, 'wecom.media_corrupt')) throw error
    return fetchInto(href, attachment, target, decryptingSink(aesKey(other)), deps.clock)
  }
}

async function fetchInto(
  href: string,
  attachment: Attachment,
  target: Download,
  sink: Sink,
  clock: Clock,
): Promise<{ name: string; bytes: number }> {
  const open = (range?: string): Promise<Response> => get(href, target.signal, range)
  const response = await open()
  const bytes = await store(response, { ...target, reopen: open, clock }, sink)
  return { name: nameOf(response, attachment), bytes }
}

async function downloadAppMedia(
  mediaId: string,
  attachment: Attachment,
  target: Download,
  deps: MediaDeps,
): Promise<{ name: string; bytes: number }> {
  const { app } = deps
  if (app === undefined) throw new AppError('wecom.media_gone', 'an app attachment without an app')
  return app.tokens.with(async (token) => {
    const url = app.url('media/get', { media_id: mediaId }, token)
    const open = (range?: string): Promise<Response> => get(url, target.signal, range)
    const response = await open()
    // Errors come as JSON with status 200 (doc 90254).
    if (!response.headers.has('content-disposition') && isJson(response)) {
      const { errcode, errmsg } = answerSchema.parse(await response.json())
      throw wecomError(errcode, errmsg, 'media/get')
    }
    const bytes = await store(response, { ...target, reopen: open, clock: deps.clock }, plainSink())
    return { name: nameOf(response, attachment), bytes }
  })
}

async function get(url: string, signal: AbortSignal, range?: string): Promise<Response> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: range === undefined ? {} : { range },
    signal: withTimeout(DOWNLOAD_TIMEOUT_MS, signal),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new AppError('wecom.media_unavailable', 'the media host did not answer', { retryable: true })
  })
  if (response.ok && response.body !== null) return response
  await response.body?.cancel()
  if (response.status >= 500) {
    throw new AppError('wecom.media_unavailable', `media host answered ${response.status}`, {
      retryable: true,
    })
  }
  throw expired()
}

/** Turns arriving bytes into bytes for the file; `end` returns the rest or throws on bad padding. */
interface Sink {
  take(chunk: Buffer): Buffer
  end(): Buffer
}

function plainSink(): Sink {
  return { take: (chunk) => chunk, end: () => Buffer.alloc(0) }
}

/** Holds back one padding block, because only the end tells how much of it is content. */
function decryptingSink(key: Buffer): Sink {
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  let tail = Buffer.alloc(0)
  let total = 0
  return {
    take: (chunk) => {
      total += chunk.length
      const plain = Buffer.concat([tail, decipher.update(chunk)])
      const ready = Math.max(0, plain.length - PAD_BLOCK)
      tail = Buffer.from(plain.subarray(ready))
      return plain.subarray(0, ready)
    },
    end: () => {
      if (total === 0 || total % PAD_BLOCK !== 0) throw corrupt()
      try {
        return unpad(Buffer.concat([tail, decipher.final()]))
      } catch (cause) {
        throw corrupt(cause)
      }
    },
  }
}

async function store(response: Response, target: Download & Reopening, sink: Sink): Promise<number> {
  const file = await open(target.path, 'wx', 0o600)
  let bytes = 0
  const write = async (part: Buffer): Promise<void> => {
    bytes += part.length
    if (bytes > target.maxBytes) throw tooLarge(target.maxBytes)
    await file.writeFile(part)
  }
  try {
    if (Number(response.headers.get('content-length') ?? 0) > target.maxBytes + PAD_BLOCK)
      throw tooLarge(target.maxBytes)
    for await (const chunk of wholeBody(response, target)) await write(sink.take(Buffer.from(chunk)))
    await write(sink.end())
    await file.close()
    return bytes
  } catch (error) {
    await file.close()
    await unlink(target.path)
    throw error instanceof AppError || target.signal.aborted
      ? error
      : new AppError('wecom.media_unavailable', 'the download broke off', { retryable: true, cause: error })
  }
}

/** The name of `Content-Disposition`; `filename*` wins. Untrusted: only its last path part is kept. */
export function dispositionName(header: string | null): string | undefined {
  const extended = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(header ?? '')?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(header ?? '')
  const name = extended === undefined ? (plain?.[1] ?? plain?.[2]) : decodePercent(extended)
  // Header bytes reach us as Latin-1; WeCom writes raw UTF-8.
  const readable = extended === undefined ? utf8FromLatin1(name ?? '') : (name ?? '')
  const last = decodePercent(readable).split(/[\\/]/).at(-1)?.trim()
  return last === '' ? undefined : last
}

function nameOf(response: Response, attachment: Attachment): string {
  return dispositionName(response.headers.get('content-disposition')) ?? attachment.name ?? ''
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text // A percent sign that is part of the name.
  }
}

function utf8FromLatin1(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  const decoded = bytes.toString('utf8')
  return decoded.includes('\ufffd') || bytes.toString('latin1') !== text ? text : decoded
}

function isJson(response: Response): boolean {
  return /json|text\/plain/.test(response.headers.get('content-type') ?? '')
}

function expired(): AppError {
  return new AppError('wecom.media_expired', 'the media address has expired', {
    hint: 'WeCom keeps it for five minutes; send the file again.',
  })
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('wecom.media_too_large', `larger than ${maxBytes} bytes`, {
    hint: 'Send a smaller file.',
    params: { maxMb: Math.floor(maxBytes / 1024 / 1024) },
  })
}

function corrupt(cause?: unknown): AppError {
  return new AppError('wecom.media_corrupt', 'the media could not be decrypted', {
    hint: 'Send the file again.',
    cause,
  })
}
