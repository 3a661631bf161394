/** Temporary media by media_id (3 days) and the host of encrypted blobs whose addresses live 5 minutes. */
import { createHash } from 'node:crypto'
import type { Clock, Random } from '../../../src/protocol/ports.ts'
import { seal } from './cipher.ts'
import { refuse } from './refusal.ts'

export type MediaType = 'image' | 'voice' | 'video' | 'file'

export interface MediaItem {
  type: MediaType
  name: string
  bytes: Uint8Array
  /** Who may send it: `corp`, `bot:<id>` or `robot:<key>`. */
  scope: string
  madeAt: number
}

export interface Blob {
  /** Encrypted, unless published plain. */
  sealed: Buffer
  name: string
  expiresAt: number
}

export interface Media {
  /** Stores and returns the media_id, a new one unless given. */
  keep(item: Omit<MediaItem, 'madeAt'>, id?: string): string
  /** The item, or 40007 when unknown, over 3 days old, or of another scope. */
  take(mediaId: string, scope: string): MediaItem
  /** Publishes encrypted bytes for 5 minutes; returns the path on this server. */
  publish(bytes: Uint8Array, name: string, key: Buffer): string
  /** Publishes bytes as they are, as the `PicUrl` of an app's image message. */
  publishPlain(bytes: Uint8Array, name: string): string
  blob(id: string): Blob | undefined
  /** Random bytes, up to 32. */
  entropy(bytes: number): Buffer
}

const DAY_MS = 86_400_000
const URL_LIFE_MS = 300_000

const startsWith = (bytes: Uint8Array, ...magic: number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte)
const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString('latin1')

/** Refuses bytes that are not what `type` promises: 40005. GIF only where the surface takes it. */
export function checkMagic(type: MediaType, bytes: Uint8Array, gif: boolean): void {
  const isImage =
    startsWith(bytes, 0x89, 0x50, 0x4e, 0x47) ||
    startsWith(bytes, 0xff, 0xd8, 0xff) ||
    (gif && ascii(bytes, 0, 4) === 'GIF8')
  const fits = {
    image: isImage,
    voice: ascii(bytes, 0, 5) === '#!AMR',
    video: ascii(bytes, 4, 8) === 'ftyp',
    file: true,
  }
  if (!fits[type]) throw refuse(40005, `not a supported ${type}`)
}

export function createMedia(deps: { clock: Clock; random: Random }): Media {
  const items = new Map<string, MediaItem>()
  const blobs = new Map<string, Blob>()
  const { clock, random } = deps
  const add = (sealed: Buffer, name: string): string => {
    for (const [old, { expiresAt }] of blobs) if (expiresAt < clock.now()) blobs.delete(old)
    const id = random.id(16)
    blobs.set(id, { sealed, name, expiresAt: clock.now() + URL_LIFE_MS })
    return `/media/${id}`
  }
  return {
    keep: (item, id = `media_${random.id(20)}`) => {
      items.set(id, { ...item, madeAt: clock.now() })
      return id
    },
    take: (mediaId, scope) => {
      const item = items.get(mediaId)
      if (!item || item.scope !== scope) throw refuse(40007)
      if (clock.now() - item.madeAt > 3 * DAY_MS) throw refuse(40007, 'expired')
      return item
    },
    publish: (bytes, name, key) => add(seal(bytes, key), name),
    publishPlain: (bytes, name) => add(Buffer.from(bytes), name),
    blob: (id) => {
      const blob = blobs.get(id)
      if (!blob || blob.expiresAt < clock.now()) return undefined
      return blob
    },
    entropy: (bytes) => createHash('sha256').update(random.id(32)).digest().subarray(0, bytes),
  }
}
