/** Temporary media of the access_token side: upload and get (doc 90253, 96484). */
import type { Routes } from './api.ts'
import { checkMagic, type MediaType } from './media.ts'
import { readUpload } from './multipart.ts'
import { refuse } from './refusal.ts'
import type { World } from './world.ts'

const MB = 1024 * 1024
const LIMITS: Record<MediaType, number> = { image: 10 * MB, voice: 2 * MB, video: 10 * MB, file: 20 * MB }

/** The type parameter, or 40004. */
export function mediaTypeOf(value: string | null, allowed: readonly MediaType[]): MediaType {
  const type = allowed.find((one) => one === value)
  if (!type) throw refuse(40004)
  return type
}

/** Refuses sizes outside what the type allows: more than 5 bytes, at most its limit. */
export function checkSize(type: MediaType, size: number): void {
  if (size <= 5) throw refuse(40006, 'more than 5 bytes are needed')
  if (size > LIMITS[type]) throw refuse(45001)
}

export function mediaRoutes(world: World): Routes {
  return {
    'media/upload': {
      method: 'POST',
      access: 'app',
      run: (call) => {
        const type = mediaTypeOf(call.query.get('type'), ['image', 'voice', 'video', 'file'])
        const { name, bytes } = readUpload(call.headers['content-type'], call.raw)
        checkSize(type, bytes.length)
        checkMagic(type, bytes, false)
        const id = world.media.keep({ type, name, bytes, scope: 'corp' })
        return { errmsg: '', type, media_id: id, created_at: String(world.seconds()) }
      },
    },
    'media/get': {
      method: 'GET',
      access: 'app',
      run: (call) => {
        const item = world.media.take(call.query.get('media_id') ?? '', 'corp')
        return { name: item.name, bytes: item.bytes }
      },
    },
  }
}
