import { z } from 'zod'
import type { SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../../src/protocol/outbound.ts'
import type { Api } from '../api/client.ts'
import { type FileType, uploadFile, uploadImage } from '../api/media.ts'
import type { WireMessage } from '../api/message.ts'
import { FILE_BYTES, IMAGE_BYTES } from '../capabilities.ts'
import { safeName } from './name.ts'
import { deliver } from './target.ts'

const FILE_TYPES: Readonly<Record<string, FileType>> = {
  opus: 'opus',
  mp4: 'mp4',
  pdf: 'pdf',
  doc: 'doc',
  docx: 'doc',
  xls: 'xls',
  xlsx: 'xls',
  ppt: 'ppt',
  pptx: 'ppt',
}

const IMAGE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif', 'bmp', 'ico', 'tif', 'tiff', 'heic'])

const preparedSchema = z.object({
  mode: z.literal('file'),
  key: z.string().min(1),
  msgType: z.enum(['image', 'file', 'audio', 'media']),
})

type Uploaded = z.output<typeof preparedSchema>

/**
 * Uploads and sends a file. Size limits are checked before a byte leaves; an upload that an
 * interrupted try reported is used again.
 */
export async function sendFile(
  api: Api,
  to: Address,
  message: { readonly file: OutboundFile; readonly replyTo?: string | undefined },
  options: SendOptions,
): Promise<SentMessage> {
  const { file, replyTo } = message
  checkSize(file)
  const earlier = preparedSchema.safeParse(options.prepared)
  const uploaded = earlier.success ? earlier.data : await upload(api, file, options.signal)
  if (!earlier.success) await options.onPrepared?.(uploaded)
  const messageId = await deliver(api, to, wire(uploaded), replyTo, options)
  return { messageId, handle: { mode: 'file' } }
}

function checkSize(file: OutboundFile): void {
  if (file.bytes === 0) {
    throw new AppError('feishu.file_empty', `${file.name} is empty, Feishu does not take empty files`, {
      hint: 'Check why the file is empty.',
      params: { name: file.name },
    })
  }
  if (file.bytes > FILE_BYTES) {
    throw new AppError('feishu.file_over_limit', `${file.name} has ${file.bytes} bytes, 30 MB are allowed`, {
      hint: 'Split or compress it.',
      params: { name: file.name, megabytes: Math.ceil(file.bytes / 1024 / 1024) },
    })
  }
}

async function upload(api: Api, file: OutboundFile, signal: AbortSignal | undefined): Promise<Uploaded> {
  const source = { path: file.path, name: safeName(file.name), signal }
  const extension = /\.([A-Za-z0-9]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? ''
  if (file.kind === 'image' && IMAGE_EXTENSIONS.has(extension) && file.bytes <= IMAGE_BYTES) {
    try {
      return { mode: 'file', key: await uploadImage(api, source), msgType: 'image' }
    } catch (error) {
      // Not really a picture, or too many pixels: people still get it, as a file.
      if (!isAppError(error, 'feishu.file_refused')) throw error
    }
  }
  const fileType = FILE_TYPES[extension] ?? 'stream'
  return { mode: 'file', key: await uploadFile(api, { ...source, fileType }), msgType: messageType(fileType) }
}

/** Sent under any other type, a video or voice file is refused with 230055. */
function messageType(fileType: FileType): 'media' | 'audio' | 'file' {
  if (fileType === 'mp4') return 'media'
  return fileType === 'opus' ? 'audio' : 'file'
}

function wire(uploaded: Uploaded): WireMessage {
  const content = uploaded.msgType === 'image' ? { image_key: uploaded.key } : { file_key: uploaded.key }
  return { msgType: uploaded.msgType, content }
}
