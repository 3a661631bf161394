/** Pictures of the workspace as the model sees them: the bytes as they are, or a word why not. */
import { AppError } from '../../protocol/errors.ts'
import { PICTURE_BYTES, PICTURE_SIDE, pictureFacts, wholePicture } from '../../protocol/picture.ts'
import type { ToolResult } from '../../protocol/tool.ts'
import type { OpenFile } from '../workspace-path.ts'

const NAMES = /\.(png|jpe?g|gif|webp)$/i

/**
 * The picture in an open file; undefined when it is none. Rejects with `tool.limit` when it is too
 * large for the models' providers.
 */
export async function readPicture(file: OpenFile, sample: Buffer): Promise<ToolResult | undefined> {
  const looksLike = pictureFacts(sample)
  if (!looksLike && !NAMES.test(file.path)) return undefined
  if (file.size > PICTURE_BYTES) {
    throw new AppError(
      'tool.limit',
      `The picture has ${file.size} bytes; up to ${PICTURE_BYTES} can be seen.`,
      {
        hint: 'Make it smaller first, for example: convert in.png -resize 1600x1600 out.jpg.',
      },
    )
  }
  const bytes = Buffer.alloc(file.size)
  const { bytesRead } = await file.handle.read(bytes, 0, file.size, 0)
  const facts = wholePicture(bytes.subarray(0, bytesRead))
  if (!facts) {
    throw new AppError(
      'tool.refused',
      `The picture is damaged, or a side has more than ${PICTURE_SIDE} pixels.`,
      {
        hint: 'Make it smaller or convert it with a command, then read the result.',
      },
    )
  }
  const { mime, width, height } = facts
  return {
    ok: true,
    text: `${mime}, ${width} × ${height} pixels, ${bytesRead} bytes; the picture follows.`,
    images: [{ mime, base64: bytes.subarray(0, bytesRead).toString('base64') }],
  }
}
