import { openAsBlob } from 'node:fs'
import { z } from 'zod'
import type { Api } from './client.ts'

const UPLOAD_TIMEOUT_MS = 120_000
const DOWNLOAD_TIMEOUT_MS = 300_000

const imageSchema = z.looseObject({ data: z.looseObject({ image_key: z.string().min(1) }) })
const fileSchema = z.looseObject({ data: z.looseObject({ file_key: z.string().min(1) }) })

interface Upload {
  readonly path: string
  readonly name: string
  readonly signal?: AbortSignal | undefined
}

/** Uploads a picture for messages and returns its key. The file is streamed from disk. */
export async function uploadImage(api: Api, upload: Upload): Promise<string> {
  const answer = await api.json(
    {
      api: 'im.image.create',
      method: 'POST',
      path: '/open-apis/im/v1/images',
      timeoutMs: UPLOAD_TIMEOUT_MS,
      signal: upload.signal,
      form: async () => {
        const form = new FormData()
        form.append('image_type', 'message')
        form.append('image', await openAsBlob(upload.path), upload.name)
        return form
      },
    },
    imageSchema,
  )
  return answer.data.image_key
}

/** Uploads a file and returns its key. The name goes out as raw UTF-8: percent signs would be shown. */
export async function uploadFile(
  api: Api,
  upload: Upload & { readonly fileType: FileType },
): Promise<string> {
  const answer = await api.json(
    {
      api: 'im.file.create',
      method: 'POST',
      path: '/open-apis/im/v1/files',
      timeoutMs: UPLOAD_TIMEOUT_MS,
      signal: upload.signal,
      form: async () => {
        const form = new FormData()
        form.append('file_type', upload.fileType)
        form.append('file_name', upload.name)
        form.append('file', await openAsBlob(upload.path), upload.name)
        return form
      },
    },
    fileSchema,
  )
  return answer.data.file_key
}

/** `file_type` of an upload; `stream` is everything that has no type of its own. */
export type FileType = 'opus' | 'mp4' | 'pdf' | 'doc' | 'xls' | 'ppt' | 'stream'

/**
 * A file that a person sent. The resource of the message is asked for: `images/:key` and `files/:key`
 * work only for what the bot uploaded itself.
 */
export async function openResource(
  api: Api,
  resource: { readonly messageId: string; readonly fileKey: string; readonly type: 'image' | 'file' },
  signal: AbortSignal,
  range?: string,
): Promise<Response> {
  const message = encodeURIComponent(resource.messageId)
  return api.stream({
    api: 'im.resource.get',
    method: 'GET',
    path: `/open-apis/im/v1/messages/${message}/resources/${encodeURIComponent(resource.fileKey)}`,
    query: { type: resource.type },
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    signal,
    range,
  })
}
