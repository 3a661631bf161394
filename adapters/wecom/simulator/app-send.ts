/** `message/send` and `message/recall`: an app's messages to its members (doc 90236). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Route, Routes } from './api.ts'
import type { AppCards } from './app-cards.ts'
import { receiversOf } from './app-receivers.ts'
import { cutText } from './app-replies.ts'
import { checkCard, isInteractive } from './card-rules.ts'
import { type StoredMessage, storeCard } from './chats.ts'
import { appChat, type CorpApp } from './corp.ts'
import { MINUTE_MS } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import type { World } from './world.ts'

const MARKDOWN_MAX = 2048
const RECALL_MS = 86_400_000
const PER_MEMBER = [{ windowMs: MINUTE_MS, max: 30 }]

const sendSchema = z.looseObject({
  touser: z.string().optional(),
  toparty: z.string().optional(),
  totag: z.string().optional(),
  msgtype: z.string().optional(),
  agentid: z.number().int(),
  enable_duplicate_check: z.number().optional(),
  duplicate_check_interval: z.number().max(14_400).optional(),
})
const content = z.looseObject({ content: z.string() })
const mediaId = z.looseObject({ media_id: z.string() })
const article = z.looseObject({
  title: z.string().min(1),
  description: z.string().optional(),
  url: z.string().optional(),
})
const textCard = z.looseObject({ title: z.string().min(1), description: z.string(), url: z.string() })

/** The stored content of a message/send body; refuses what the type does not allow. */
function contentOf(world: World, app: CorpApp, type: string, body: unknown): StoredMessage['content'] {
  const field = accept(z.looseObject({ [type]: z.unknown() }), body)[type]
  switch (type) {
    case 'text': {
      const { content: text } = accept(content, field)
      if (text === '') throw refuse(44004)
      return { type, text: cutText(text) }
    }
    case 'markdown': {
      const { content: text } = accept(content, field)
      if (byteLength(text) > MARKDOWN_MAX) throw refuse(45002)
      return { type, text }
    }
    case 'image':
    case 'voice':
    case 'video':
    case 'file': {
      const item = world.media.take(accept(mediaId, field).media_id, 'corp')
      if (item.type !== type) throw refuse(40004)
      return { type, file: { name: item.name, bytes: item.bytes } }
    }
    case 'textcard': {
      const { title, description, url } = accept(textCard, field)
      return { type: 'news', articles: [{ title, description, url }] }
    }
    case 'news': {
      const { articles } = accept(z.looseObject({ articles: z.array(article).min(1).max(8) }), field)
      const fields = articles.map(({ title, description, url }) => ({
        title,
        ...(description === undefined ? {} : { description }),
        ...(url === undefined ? {} : { url }),
      }))
      return { type, articles: fields }
    }
    case 'template_card': {
      const isTaken = (id: string): boolean => world.tasks.has(`app:${app.agentId}|${id}`)
      const card = checkCard(field, { owner: 'app', isTaken })
      if (isInteractive(card) && !app.callback) throw refuse(43012)
      if (typeof card.task_id === 'string') world.tasks.add(`app:${app.agentId}|${card.task_id}`)
      return { type: 'card', stored: storeCard(card) }
    }
    default:
      throw refuse(40008, type)
  }
}

interface SendParts {
  world: World
  cards: AppCards
  /** What was sent, by msgid, for recalls. */
  sent: Map<string, { agentId: number; copies: StoredMessage[]; at: number }>
  /** Until when the same content to the same receivers is dropped, by digest. */
  repeats: Map<string, number>
}

export function appSendRoutes(world: World, cards: AppCards): Routes {
  const parts: SendParts = { world, cards, sent: new Map(), repeats: new Map() }
  const post = (run: (parts: SendParts, app: CorpApp, body: unknown) => object): Route => ({
    method: 'POST',
    access: 'app',
    run: (call, app) => run(parts, app, call.json()),
  })
  return {
    'message/send': post(send),
    'message/recall': post(recall),
    'message/update_template_card': post(update),
  }
}

function send(parts: SendParts, app: CorpApp, body: unknown): object {
  const { world, cards, sent } = parts
  const input = accept(sendSchema, body)
  if (!world.org.app(input.agentid)) throw refuse(40056)
  if (input.agentid !== app.agentId) throw refuse(301002)
  if (input.msgtype === undefined) throw refuse(40008, 'msgtype missing')
  const to = receiversOf(world, app, input)
  const stored = contentOf(world, app, input.msgtype, body)
  const userids = isRepeat(parts, app, input) ? [] : to.userids
  const copies = userids.flatMap((userid) => copyFor(world, app, userid, stored))
  const msgid = `msg_${world.random.id(20)}`
  sent.set(msgid, { agentId: app.agentId, copies, at: world.clock.now() })
  const updatable = stored.type === 'card' && isInteractive(stored.stored.raw)
  return {
    invaliduser: to.invalidUser.join('|'),
    invalidparty: to.invalidParty.join('|'),
    invalidtag: to.invalidTag.join('|'),
    unlicenseduser: '',
    msgid,
    ...(updatable ? { response_code: cards.code(app, copies) } : {}),
  }
}

/** True when the same content went to the same receivers within the interval. */
function isRepeat({ world, repeats }: SendParts, app: CorpApp, input: z.output<typeof sendSchema>): boolean {
  if (input.enable_duplicate_check !== 1) return false
  const key = createHash('sha256')
    .update(JSON.stringify([app.agentId, input]))
    .digest('hex')
  const now = world.clock.now()
  if ((repeats.get(key) ?? 0) > now) return true
  repeats.set(key, now + (input.duplicate_check_interval ?? 1800) * 1000)
  return false
}

/** The member's copy; over 30 a minute the platform drops it without a word. */
function copyFor(
  world: World,
  app: CorpApp,
  userid: string,
  stored: StoredMessage['content'],
): StoredMessage[] {
  if (!world.rates.hit(`app:${app.agentId}|${userid.toLowerCase()}`, PER_MEMBER)) return []
  const content = stored.type === 'card' ? { ...stored, stored: storeCard(stored.stored.raw) } : stored
  const sender = { type: 'app' as const, agentId: app.agentId, name: app.name }
  return [world.chats.post({ chat: appChat(app.agentId, userid), sender, content })]
}

function recall({ world, sent }: SendParts, app: CorpApp, body: unknown): object {
  const { msgid } = accept(z.looseObject({ msgid: z.string() }), body)
  const known = sent.get(msgid)
  if (!known || known.agentId !== app.agentId) throw refuse(40058, 'msgid unknown')
  if (world.clock.now() - known.at > RECALL_MS) throw refuse(40058, 'older than 24 hours')
  for (const copy of known.copies) {
    copy.content = { type: 'recalled' }
    world.chats.touch(copy)
  }
  return {}
}

function update({ cards }: SendParts, app: CorpApp, body: unknown): object {
  const invalid = cards.update(app, body)
  return invalid.length > 0 ? { invaliduser: invalid } : {}
}
