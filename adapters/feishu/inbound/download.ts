import { open, rm } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../../src/protocol/errors.ts'
import type { Attachment } from '../../../src/protocol/inbound.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { wholeBody } from '../../../src/protocol/whole-body.ts'
import type { Api } from '../api/client.ts'
import { openResource } from '../api/media.ts'
import { safeName } from '../outbound/name.ts'

const handleSchema = z.object({
  messageId: z.string().min(1),
  fileKey: z.string().min(1),
  type: z.enum(['image', 'file']),
})

/**
 * Streams a person's file to `path` (created, 0600) and stops at `maxBytes`. Nothing is left behind
 * when it fails. The name is made safe; it comes from the message, else from the answer's header.
 */
export async function download(
  { api, clock }: { readonly api: Api; readonly clock: Clock },
  attachment: Attachment,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ name: string; bytes: number }> {
  const handle = handleSchema.safeParse(attachment.handle)
  if (!handle.success) {
    throw new AppError('feishu.file_unavailable', 'the attachment has no usable handle', {
      hint: 'Send the file again.',
    })
  }
  const open = (range?: string): Promise<Response> => openResource(api, handle.data, signal, range)
  const response = await open()
  const announced = Number(response.headers.get('content-length') ?? 0)
  if (announced > maxBytes) {
    await response.body?.cancel()
    throw tooLarge(maxBytes)
  }
  const body = wholeBody(response, { reopen: open, clock, signal })
  const bytes = await writeCapped(body, path, maxBytes, signal)
  const name = attachment.name ?? headerName(response.headers.get('content-disposition') ?? '')
  return { name: safeName(name ?? '', fallbackName(attachment)), bytes }
}

async function writeCapped(
  body: AsyncIterable<Uint8Array>,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      await file.write(chunk)
    }
    await file.close()
    return bytes
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    if (error instanceof AppError || signal.aborted) throw error
    throw new AppError('feishu.unreachable', 'the download broke off', {
      hint: 'It is tried again by itself.',
      retryable: true,
      cause: error,
    })
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('feishu.file_too_large', `the file is larger than ${maxBytes} bytes`, {
    hint: 'Send a smaller file, or raise limits.inboundFileMb.',
    params: { megabytes: Math.floor(maxBytes / 1024 / 1024) },
  })
}

function fallbackName(attachment: Attachment): string {
  const extensions = { image: 'image.png', audio: 'audio.opus', video: 'video.mp4', file: 'file' }
  return extensions[attachment.kind]
}

/**
 * Name in a Content-Disposition header. Feishu percent-encodes it or sends raw UTF-8 bytes, which
 * HTTP clients hand out as Latin-1.
 */
export function headerName(header: string): string | undefined {
  const extended = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(header)?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(header)
  const raw = (extended ?? plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2])?.trim()
  if (!raw) return undefined
  return percentDecoded(isLatin1(raw) ? fromLatin1(raw) : raw)
}

function isLatin1(text: string): boolean {
  return /[\u0080-\u00ff]/.test(text) && !/[^\u0000-\u00ff]/.test(text)
}

function fromLatin1(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? text : decoded
}

function percentDecoded(text: string): string {
  if (!/%[0-9A-Fa-f]{2}/.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
