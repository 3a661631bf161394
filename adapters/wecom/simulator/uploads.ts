/** aibot media upload in chunks over the long connection (doc 101463): init, chunk in any order, finish. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Clock, Random } from '../../../src/protocol/ports.ts'
import type { WecomSettings } from './control.ts'
import { checkMagic, type Media, type MediaType } from './media.ts'
import { AIBOT_RULES, type Rates } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'

const MB = 1024 * 1024
const CHUNK_MAX = 512 * 1024
const SESSION_MS = 30 * 60_000

interface Session {
  botId: string
  type: MediaType
  name: string
  size: number
  total: number
  md5: string | undefined
  chunks: Map<number, Buffer>
  openedAt: number
}

const initSchema = z.looseObject({
  type: z.string(),
  filename: z
    .string()
    .min(1)
    .refine((name) => byteLength(name) <= 256, 'longer than 256 bytes'),
  total_size: z.number().int(),
  total_chunks: z.number().int().min(1).max(100),
  md5: z.string().optional(),
})
const mediaType = z.enum(['image', 'voice', 'video', 'file'])
const chunkSchema = z.looseObject({
  upload_id: z.string(),
  chunk_index: z.number().int().min(0),
  base64_data: z.string().min(1),
})
const finishSchema = z.looseObject({ upload_id: z.string() })

export interface Uploads {
  init(botId: string, body: unknown): { upload_id: string }
  chunk(botId: string, body: unknown): undefined
  finish(botId: string, body: unknown): { type: MediaType; media_id: string; created_at: string }
}

interface Deps {
  clock: Clock
  random: Random
  rates: Rates
  media: Media
  settings: WecomSettings
}

/** Puts the chunks together and refuses what does not match the promises of init. */
function assemble(session: Session): Buffer {
  const parts = Array.from({ length: session.total }, (_, index) => session.chunks.get(index))
  const whole = Buffer.concat(parts.filter((part) => part !== undefined))
  if (session.chunks.size !== session.total) throw refuse(40058, 'chunks missing')
  if (whole.length !== session.size) throw refuse(40006, 'total_size differs')
  const md5 = createHash('md5').update(whole).digest('hex')
  if (session.md5 !== undefined && session.md5.toLowerCase() !== md5) throw refuse(40058, 'md5 differs')
  checkMagic(session.type, whole, true)
  return whole
}

export function createUploads(deps: Deps): Uploads {
  const sessions = new Map<string, Session>()
  const sessionOf = (botId: string, id: string): Session => {
    const session = sessions.get(id)
    if (!session || session.botId !== botId) throw refuse(40058, 'upload_id unknown')
    if (deps.clock.monotonic() - session.openedAt > SESSION_MS) throw refuse(40058, 'upload_id expired')
    return session
  }
  return {
    init: (botId, body) => {
      const session = newSession(deps, botId, body)
      const id = `up_${deps.random.id(12)}`
      sessions.set(id, session)
      return { upload_id: id }
    },
    chunk: (botId, body) => {
      const input = accept(chunkSchema, body)
      const session = sessionOf(botId, input.upload_id)
      const bytes = Buffer.from(input.base64_data, 'base64')
      if (input.chunk_index >= session.total) throw refuse(40058, 'chunk_index out of range')
      if (bytes.length > CHUNK_MAX) throw refuse(45001, 'a chunk holds at most 512 KB')
      if (!session.chunks.has(input.chunk_index)) session.chunks.set(input.chunk_index, bytes)
      return undefined
    },
    finish: (botId, body) => {
      const { upload_id: id } = accept(finishSchema, body)
      const session = sessionOf(botId, id)
      const bytes = assemble(session)
      sessions.delete(id)
      const mediaId = deps.media.keep({
        type: session.type,
        name: session.name,
        bytes,
        scope: `bot:${botId}`,
      })
      return {
        type: session.type,
        media_id: mediaId,
        created_at: String(Math.floor(deps.clock.now() / 1000)),
      }
    },
  }
}

/** Checks init's promises and counts the upload. */
function newSession({ clock, rates, settings }: Deps, botId: string, body: unknown): Session {
  const limits = { image: settings.imageUploadMax, voice: 2 * MB, video: 10 * MB, file: 20 * MB }
  const input = accept(initSchema, body)
  const type = mediaType.safeParse(input.type)
  if (!type.success) throw refuse(40004)
  if (input.total_size < 5) throw refuse(40006, 'at least 5 bytes')
  if (input.total_size > limits[type.data]) throw refuse(45001)
  if (!rates.hit(`upload:${botId}`, AIBOT_RULES)) throw refuse(846607)
  return {
    botId,
    type: type.data,
    name: input.filename,
    size: input.total_size,
    total: input.total_chunks,
    md5: input.md5,
    chunks: new Map(),
    openedAt: clock.monotonic(),
  }
}
