/** `message/send` and `message/recall`: an app's messages to its members (doc 90236). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Routes } from './api.ts'
import type { AppCards } from './app-cards.ts'
import { cutText } from './app-replies.ts'
import { checkCard, isInteractive } from './card-rules.ts'
import { type StoredMessage, storeCard } from './chats.ts'
import { appChat, type CorpApp } from './corp.ts'
import { sameUser } from './org.ts'
import { MINUTE_MS } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import type { World } from './world.ts'

const MARKDOWN_MAX = 2048
const RECALL_MS = 86_400_000

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

interface Receivers {
  userids: string[]
  invalidUser: string[]
  invalidParty: string[]
  invalidTag: string[]
}

const ids = (text: string | undefined): string[] => (text ?? '').split('|').filter((id) => id !== '')

function receiversOf(world: World, app: CorpApp, input: z.output<typeof sendSchema>): Receivers {
  const [users, parties, tags] = [ids(input.touser), ids(input.toparty), ids(input.totag)]
  if (users.length + parties.length + tags.length === 0) throw refuse(82001)
  if (users.length > 1000 || parties.length > 100 || tags.length > 100)
    throw refuse(40058, 'too many receivers')
  const visible = world.org.corp.members.filter((one) => world.org.sees(app.visible, one.userid))
  if (users.includes('@all')) {
    return { userids: visible.map((one) => one.userid), invalidUser: [], invalidParty: [], invalidTag: [] }
  }
  const known = (id: string): boolean => visible.some((one) => sameUser(one.userid, id))
  const invalidParty = parties.filter((id) => !world.org.department(Number(id)))
  const departments = parties.flatMap((id) => [...world.org.descendants(Number(id))])
  const chosen = visible.filter(
    (one) =>
      users.some((id) => sameUser(id, one.userid)) || one.departments.some((id) => departments.includes(id)),
  )
  if (chosen.length === 0) throw refuse(81013)
  return {
    userids: chosen.map((one) => one.userid),
    invalidUser: users.filter((id) => !known(id)).map((id) => id.toLowerCase()),
    invalidParty,
    invalidTag: tags,
  }
}

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

export function appSendRoutes(world: World, cards: AppCards): Routes {
  const sent = new Map<string, { agentId: number; copies: StoredMessage[]; at: number }>()
  const repeats = new Map<string, number>()
  const perMember = [{ windowMs: MINUTE_MS, max: 30 }]

  /** True when the same content went to the same receivers within the interval. */
  const isRepeat = (app: CorpApp, input: z.output<typeof sendSchema>): boolean => {
    if (input.enable_duplicate_check !== 1) return false
    const key = createHash('sha256')
      .update(JSON.stringify([app.agentId, input]))
      .digest('hex')
    const now = world.clock.now()
    if ((repeats.get(key) ?? 0) > now) return true
    repeats.set(key, now + (input.duplicate_check_interval ?? 1800) * 1000)
    return false
  }

  const copyFor = (app: CorpApp, userid: string, stored: StoredMessage['content']): StoredMessage[] => {
    // Over 30 a minute the platform drops a member's copy without a word.
    if (!world.rates.hit(`app:${app.agentId}|${userid.toLowerCase()}`, perMember)) return []
    const own = stored.type === 'card' ? { ...stored, stored: storeCard(stored.stored.raw) } : stored
    const sender = { type: 'app' as const, agentId: app.agentId, name: app.name }
    return [world.chats.post({ chat: appChat(app.agentId, userid), sender, content: own })]
  }

  const send = (body: unknown, app: CorpApp): object => {
    const input = accept(sendSchema, body)
    if (!world.org.app(input.agentid)) throw refuse(40056)
    if (input.agentid !== app.agentId) throw refuse(301002)
    if (input.msgtype === undefined) throw refuse(40008, 'msgtype missing')
    const to = receiversOf(world, app, input)
    const stored = contentOf(world, app, input.msgtype, body)
    const copies = isRepeat(app, input) ? [] : to.userids.flatMap((userid) => copyFor(app, userid, stored))
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

  const recall = (body: unknown, app: CorpApp): object => {
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

  const update = (body: unknown, app: CorpApp): object => {
    const invalid = cards.update(app, body)
    return invalid.length > 0 ? { invaliduser: invalid } : {}
  }

  return {
    'message/send': { method: 'POST', access: 'app', run: (call, app) => send(call.json(), app) },
    'message/recall': { method: 'POST', access: 'app', run: (call, app) => recall(call.json(), app) },
    'message/update_template_card': {
      method: 'POST',
      access: 'app',
      run: (call, app) => update(call.json(), app),
    },
  }
}
