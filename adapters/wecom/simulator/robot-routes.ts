/** Group webhook robots (消息推送): one group each, 20 messages a minute (doc 99110). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ApiCall, Routes } from './api.ts'
import { checkCard } from './card-rules.ts'
import { type StoredMessage, storeCard } from './chats.ts'
import type { CorpGroup, GroupRobot } from './corp.ts'
import { checkMagic } from './media.ts'
import { checkSize, mediaTypeOf } from './media-routes.ts'
import { readUpload } from './multipart.ts'
import { MINUTE_MS } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import type { World } from './world.ts'

const SEND_RULES = [{ windowMs: MINUTE_MS, max: 20, blocks: true }]
const IMAGE_MAX = 2 * 1024 * 1024
const TEXT_MAX = 2048
const MARKDOWN_MAX = 4096
const NOTICES = ['text_notice', 'news_notice']

const typeSchema = z.looseObject({ msgtype: z.string().optional() })
const content = z.looseObject({ content: z.string() })
const mediaId = z.looseObject({ media_id: z.string() })
const image = z.looseObject({ base64: z.string().min(1), md5: z.string() })
const articles = z.looseObject({
  articles: z
    .array(z.looseObject({ title: z.string().min(1), description: z.string().optional(), url: z.string() }))
    .min(1)
    .max(8),
})
const cardType = z.looseObject({ card_type: z.string() })

function bounded(field: unknown, max: number): string {
  const { content: text } = accept(content, field)
  if (text === '') throw refuse(44004)
  if (byteLength(text) > max) throw refuse(45002)
  return text
}

function imageOf(field: unknown): StoredMessage['content'] {
  const { base64, md5 } = accept(image, field)
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > IMAGE_MAX) throw refuse(45001)
  if (createHash('md5').update(bytes).digest('hex') !== md5.toLowerCase()) throw refuse(40058, 'md5 differs')
  checkMagic('image', bytes, false)
  return { type: 'image', file: { name: 'image', bytes } }
}

export function robotRoutes(world: World): Routes {
  return {
    'webhook/send': { method: 'POST', access: 'open', run: (call) => send(world, call) },
    'webhook/upload_media': { method: 'POST', access: 'open', run: (call) => upload(world, call) },
  }
}

function robotOf(world: World, call: ApiCall): { group: CorpGroup; robot: GroupRobot } {
  const key = call.query.get('key') ?? ''
  const group = world.org.robotGroup(key)
  const robot = group?.robots?.find((one) => one.key === key)
  if (!group || !robot) throw refuse(93000)
  if (robot.disabled) throw refuse(93004)
  return { group, robot }
}

function send(world: World, call: ApiCall): object {
  const { group, robot } = robotOf(world, call)
  if (!world.rates.hit(`robot:${robot.key}`, SEND_RULES)) throw refuse(45009)
  const body = call.json()
  const { msgtype } = accept(typeSchema, body)
  if (msgtype === undefined) throw refuse(40008, 'msgtype missing')
  const sender = { type: 'robot' as const, key: robot.key, name: robot.name }
  world.chats.post({ chat: group.chatId, sender, content: contentOf(world, robot.key, msgtype, body) })
  return {}
}

function upload(world: World, call: ApiCall): object {
  const { robot } = robotOf(world, call)
  const type = mediaTypeOf(call.query.get('type'), ['file', 'voice'])
  const { name, bytes } = readUpload(call.headers['content-type'], call.raw)
  checkSize(type, bytes.length)
  checkMagic(type, bytes, false)
  const id = world.media.keep({ type, name, bytes, scope: `robot:${robot.key}` })
  return { type, media_id: id, created_at: String(world.seconds()) }
}

function contentOf(world: World, key: string, type: string, body: unknown): StoredMessage['content'] {
  const field = accept(z.looseObject({ [type]: z.unknown() }), body)[type]
  switch (type) {
    case 'text':
      return { type, text: bounded(field, TEXT_MAX) }
    case 'markdown':
    case 'markdown_v2':
      return { type: 'markdown', text: bounded(field, MARKDOWN_MAX) }
    case 'image':
      return imageOf(field)
    case 'file':
    case 'voice': {
      const item = world.media.take(accept(mediaId, field).media_id, `robot:${key}`)
      if (item.type !== type) throw refuse(40004)
      return { type, file: { name: item.name, bytes: item.bytes } }
    }
    case 'news': {
      const items = accept(articles, field).articles
      return {
        type,
        articles: items.map(({ title, description, url }) => ({
          title,
          url,
          ...(description === undefined ? {} : { description }),
        })),
      }
    }
    case 'template_card': {
      if (!NOTICES.includes(accept(cardType, field).card_type)) throw refuse(40058, 'notice cards only')
      return { type: 'card', stored: storeCard(checkCard(field, { owner: 'app', isTaken: () => false })) }
    }
    default:
      throw refuse(40008, type)
  }
}
