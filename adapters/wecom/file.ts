/** What WeCom takes of a file, checked before a byte is uploaded, with words that say what to do. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { SendOptions } from '../../src/protocol/adapter.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../src/protocol/outbound.ts'

/** Files of 5 bytes and less are refused (doc 90253). */
const FILE_MIN_BYTES = 6
export const FILE_MAX_BYTES = 20 * 1024 * 1024
const NAME_MAX_BYTES = 256

type MediaType = 'file' | 'image' | 'voice' | 'video'

export interface LoadedFile {
  readonly name: string
  readonly content: Buffer
  readonly md5: string
  readonly type: MediaType
}

/** Reads a file after its size and name were accepted. Throws `wecom.file_…` otherwise. */
export async function loadFile(file: OutboundFile, imageBytes: number): Promise<LoadedFile> {
  checkFile(file)
  const content = await readFile(file.path)
  if (createHash('sha256').update(content).digest('hex') !== file.sha256) {
    throw new AppError('wecom.file_changed', `${file.name} changed after it was queued`, {
      hint: 'Send the file again.',
    })
  }
  return {
    name: file.name,
    content,
    md5: createHash('md5').update(content).digest('hex'),
    type: typeOf(file, imageBytes),
  }
}

/**
 * Sends what was uploaded before by an interrupted try, or uploads now. An upload lives three days; when
 * the known one is gone, it is made once more.
 */
export async function sendUploaded(
  options: SendOptions,
  upload: () => Promise<string>,
  deliver: (mediaId: string) => Promise<SentMessage>,
): Promise<SentMessage> {
  const fresh = async (): Promise<SentMessage> => {
    const mediaId = await upload()
    await options.onPrepared?.({ mediaId })
    return deliver(mediaId)
  }
  const known = options.prepared?.mediaId
  if (typeof known !== 'string') return fresh()
  try {
    return await deliver(known)
  } catch (error) {
    if (!isAppError(error, 'wecom.media_gone')) throw error
    return fresh()
  }
}

function checkFile(file: OutboundFile): void {
  if (file.bytes < FILE_MIN_BYTES) {
    throw new AppError('wecom.file_too_small', `${file.name} has ${file.bytes} bytes`, {
      hint: 'WeCom refuses files of 5 bytes and less; put the content into the message, or into a larger file.',
      params: { name: file.name, bytes: file.bytes },
    })
  }
  if (file.bytes > FILE_MAX_BYTES) {
    throw new AppError('wecom.file_too_large', `${file.name} has ${file.bytes} bytes`, {
      hint: 'WeCom takes files up to 20 MB; compress or split it.',
      params: {
        name: file.name,
        mb: Math.ceil(file.bytes / 1024 / 1024),
        maxMb: FILE_MAX_BYTES / 1024 / 1024,
      },
    })
  }
  if (Buffer.byteLength(file.name) > NAME_MAX_BYTES) {
    throw new AppError('wecom.file_name_too_long', `a file name of ${Buffer.byteLength(file.name)} bytes`, {
      hint: 'Rename the file: WeCom takes names up to 256 bytes.',
    })
  }
}

/** An image that is too large or of another format still arrives, as a file. */
function typeOf(file: OutboundFile, imageBytes: number): MediaType {
  const isPicture = /\.(png|jpe?g|gif)$/i.test(file.name)
  return file.kind === 'image' && isPicture && file.bytes <= imageBytes ? 'image' : 'file'
}
