/** Callbacks to a self-built app: encrypted XML, three tries, passive replies (doc 90238–90241). */

import { z } from 'zod'
import type { AppCards } from './app-cards.ts'
import { readAppReply } from './app-replies.ts'
import { openAnswer, postCallback } from './callback-post.ts'
import type { StoredMessage } from './chats.ts'
import type { CorpApp } from './corp.ts'
import { accept } from './refusal.ts'
import type { World } from './world.ts'
import { readXml, writeXml, type XmlValue } from './xml.ts'

export interface AppLink {
  message(app: CorpApp, message: StoredMessage, userid: string): void
  /** Sends an event; `settle` hears whether the passive reply changed the clicked copy. */
  event(app: CorpApp, event: AppEvent): void
}

export interface AppEvent {
  userid: string
  chat?: string
  name: string
  fields: { [name: string]: XmlValue }
  clicked?: { copy: StoredMessage; settle: (updated: boolean) => void }
}

const envelopeSchema = z.looseObject({
  Encrypt: z.string(),
  MsgSignature: z.string(),
  TimeStamp: z.string(),
  Nonce: z.string(),
})

/** The fields of one message type; a file is kept as temporary media first. */
function contentFields(world: World, message: StoredMessage): { [name: string]: XmlValue } | undefined {
  const { content } = message
  if (content.type === 'text') return { MsgType: 'text', Content: content.text }
  if (content.type !== 'image' && content.type !== 'voice' && content.type !== 'video') return undefined
  const mediaId = world.media.keep({
    type: content.type,
    name: content.file.name,
    bytes: content.file.bytes,
    scope: 'corp',
  })
  if (content.type === 'image')
    return {
      MsgType: 'image',
      PicUrl: world.baseUrl + world.media.publishPlain(content.file.bytes, content.file.name),
      MediaId: mediaId,
    }
  if (content.type === 'voice') return { MsgType: 'voice', MediaId: mediaId, Format: 'amr' }
  return { MsgType: 'video', MediaId: mediaId, ThumbMediaId: mediaId }
}

export function createAppLink(world: World, cards: AppCards): AppLink {
  const parts: LinkParts = { world, cards, corpId: world.org.corp.corpId }
  return {
    message: (app, message, userid) => {
      const fields = contentFields(world, message)
      if (!fields) return
      const id = 7_450_000_000_000_000_000n + BigInt(world.media.entropy(6).readUIntBE(0, 6))
      const all = { ...fields, MsgId: id }
      send(parts, app, { userid, chat: message.chat, name: 'message', fields: all })
    },
    event: (app, event) =>
      send(parts, app, { ...event, fields: { MsgType: 'event', Event: event.name, ...event.fields } }),
  }
}

interface LinkParts {
  world: World
  cards: AppCards
  corpId: string
}

function send(parts: LinkParts, app: CorpApp, event: AppEvent): void {
  const { world, corpId } = parts
  const plain = writeXml({
    ToUserName: corpId,
    FromUserName: event.userid,
    CreateTime: world.seconds(),
    AgentID: app.agentId,
    ...event.fields,
  })
  deliver(parts, app, event, plain).catch((error: unknown) => {
    const request = error instanceof Error ? error.message : String(error)
    const who = String(app.agentId)
    world.journal.open({ channel: 'http-in', name: 'passive reply', who, request })('refused', -1)
  })
}

async function deliver(parts: LinkParts, app: CorpApp, event: AppEvent, plain: string): Promise<void> {
  const { world, cards } = parts
  const xml = await call(parts, app, plain, event.name)
  if (!xml) return
  const reply = readAppReply(xml, (id) => world.media.take(id, 'corp'))
  if (reply.type === 'change') {
    if (!event.clicked) throw new Error('only a click can be answered with a card change')
    cards.changeCopy(event.clicked.copy, reply.change)
    event.clicked.settle(true)
    return
  }
  if (event.chat === undefined) return
  const sender = { type: 'app' as const, agentId: app.agentId, name: app.name }
  world.chats.post({ chat: event.chat, sender, content: reply.content })
}

/** Posts and opens the passive reply; undefined for an empty one or none. */
async function call(
  { world, corpId }: LinkParts,
  app: CorpApp,
  plain: string,
  label: string,
): Promise<Record<string, unknown> | undefined> {
  const to = app.callback
  if (!to) return undefined
  const agent = String(app.agentId)
  const answer = await postCallback(world, {
    to,
    receiveId: corpId,
    plain,
    envelope: (encrypted) => writeXml({ ToUserName: corpId, AgentID: agent, Encrypt: encrypted }),
    contentType: 'text/xml',
    attempts: 3,
    who: agent,
    label,
  })
  if (!answer) return undefined
  const parts = accept(envelopeSchema, readXml(answer.text))
  const signed = {
    encrypted: parts.Encrypt,
    signature: parts.MsgSignature,
    timestamp: parts.TimeStamp,
    nonce: parts.Nonce,
  }
  return readXml(openAnswer(to, corpId, answer, signed))
}
