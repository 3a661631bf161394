import { AppError } from '../../../src/protocol/errors.ts'

const MAX_JSON_BYTES = 16 * 1024 * 1024

/** Text of an answer, refused above 16 MB so that a broken peer cannot fill the memory. */
export async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_JSON_BYTES) {
      throw new AppError('feishu.unexpected_answer', 'an answer was larger than 16 MB', {
        hint: 'Check `domain`: something other than Feishu may be answering.',
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
