/** Uploads over the long connection: init, numbered chunks, finish (doc 101463). */
import { z } from 'zod'
import type { CallScheduler } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { LoadedFile } from './file.ts'
import type { WecomTransport } from './transport.ts'

const CHUNK_BYTES = 512 * 1024
/** Acknowledgements of chunks take 6–8 s and more (hermes-agent#105900). */
const UPLOAD_ACK_MS = 120_000

const initSchema = z.looseObject({ upload_id: z.string() })
const finishSchema = z.looseObject({ media_id: z.string() })

/**
 * Resolves with a media id that lives three days. Uploading has no effect that anybody sees, so a lost
 * acknowledgement is retryable here. 30 uploads a minute and 1,000 an hour per bot.
 */
export async function uploadMedia(
  file: LoadedFile,
  botId: string,
  transport: WecomTransport,
  scheduler: CallScheduler,
): Promise<string> {
  const limits = [
    { calls: 30, perMs: 60_000 },
    { calls: 1_000, perMs: 3_600_000 },
  ]
  return scheduler.run(
    { buckets: [{ name: `wecom:${botId}:uploads`, limits }], priority: 'low', lane: 'uploads' },
    () => uploadAll(file, transport),
  )
}

async function uploadAll(file: LoadedFile, transport: WecomTransport): Promise<string> {
  const chunks = Math.ceil(file.content.length / CHUNK_BYTES)
  const send = (cmd: Parameters<WecomTransport['request']>[0], body: unknown): Promise<unknown> =>
    transport.request(cmd, body, { timeoutMs: UPLOAD_ACK_MS }).catch((error: unknown) => {
      throw repeatable(error)
    })
  const init = initSchema.parse(
    await send('aibot_upload_media_init', {
      type: file.type,
      filename: file.name,
      total_size: file.content.length,
      total_chunks: chunks,
      md5: file.md5,
    }),
  )
  await inParallel(chunks, concurrencyFor(chunks), async (index) => {
    const part = file.content.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)
    await send('aibot_upload_media_chunk', {
      upload_id: init.upload_id,
      chunk_index: index,
      base64_data: part.toString('base64'),
    })
  })
  return finishSchema.parse(await send('aibot_upload_media_finish', { upload_id: init.upload_id })).media_id
}

/** More at once gives "system error" in the field. */
function concurrencyFor(chunks: number): number {
  if (chunks <= 4) return chunks
  return chunks <= 10 ? 3 : 2
}

async function inParallel(
  count: number,
  width: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

function repeatable(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'wecom.outcome_unknown') return error
  return new AppError('wecom.upload_interrupted', error.message, {
    hint: 'Nothing was sent; the file is uploaded again.',
    retryable: true,
    cause: error,
  })
}
