/** What people do in the client: speak, mention, quote, send files, open chats, give feedback. Clicks are in clicks.ts. */
import type { AppLink } from './app-link.ts'
import type { BotLink } from './bot-link.ts'
import type { StoredMessage } from './chats.ts'
import type { Mention, PeopleControl, PersonMessage } from './control.ts'
import type { CorpBot } from './corp.ts'
import { sameUser } from './org.ts'
import { type Place, placeOf } from './place.ts'
import { disallow } from './refusal.ts'
import type { Sender } from './view.ts'
import type { World } from './world.ts'

interface Deps {
  world: World
  botLink: BotLink
  appLink: AppLink
  click: PeopleControl['click']
}

const SHANGHAI_OFFSET_MS = 8 * 3_600_000
const DAY_MS = 86_400_000
const RECALL_MS = 120_000

/** Puts `@name` where the mention says; the middle is the first space, or the end without one. */
function withMention(text: string, at: Mention | undefined, name: string): string {
  if (!at) return text
  const tag = `${at.sign ?? '@'}${name}`
  const gap = at.gap ?? '\u2005'
  if (at.position === 'end') return `${text} ${tag}`
  if (at.position !== 'middle') return `${tag}${gap}${text}`
  const space = text.indexOf(' ')
  return space < 0 ? `${text} ${tag}` : `${text.slice(0, space)} ${tag}${gap}${text.slice(space + 1)}`
}

const mentions = (text: string, name: string): boolean =>
  text.includes(`@${name}`) || text.includes(`＠${name}`)

function contentOf(message: PersonMessage, botName: string): StoredMessage['content'] {
  switch (message.type) {
    case 'text':
      return { type: 'text', text: withMention(message.text, message.at, botName) }
    case 'voice':
      return {
        type: 'voice',
        file: { name: message.name, bytes: message.bytes },
        transcript: message.transcript,
      }
    case 'mixed': {
      const parts = message.parts.map((part, index) =>
        part.type === 'text'
          ? part
          : { type: part.type, file: { name: `image-${index + 1}.png`, bytes: part.bytes } },
      )
      const first = parts.findIndex((part) => part.type === 'text')
      const tagged = parts.map((part, index) =>
        index === first && part.type === 'text'
          ? { type: part.type, text: withMention(part.text, message.at, botName) }
          : part,
      )
      return { type: 'mixed', parts: tagged }
    }
    default:
      return { type: message.type, file: { name: message.name, bytes: message.bytes } }
  }
}

const spokenText = (content: StoredMessage['content']): string => {
  if (content.type === 'text') return content.text
  if (content.type !== 'mixed') return ''
  return content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function createPeople({ world, botLink, appLink, click }: Deps): PeopleControl {
  const opened = new Set<string>()
  const speaker = (userid: string): Sender & { type: 'member' } => {
    const member = world.org.member(userid)
    if (!member) throw disallow(`${userid} is not in the corp`)
    return { type: 'member', userid: member.userid, name: member.name }
  }

  const mustBeIn = (place: Place, userid: string): void => {
    const inside =
      place.type === 'group'
        ? place.group.members.some((id) => sameUser(id, userid))
        : sameUser(place.userid, userid)
    if (!inside) throw disallow(`${userid} is not in this chat`)
  }

  /** Bots of a group that the message notifies. Files, images, voice and video cannot mention. */
  const notified = (
    message: PersonMessage,
    bots: CorpBot[],
    content: StoredMessage['content'],
  ): CorpBot[] => {
    if (content.type !== 'text' && content.type !== 'mixed') return []
    if (message.at) return bots.filter((bot) => bot.botId === message.at?.bot)
    return bots.filter((bot) => mentions(spokenText(content), bot.name))
  }

  const toBots = (message: PersonMessage, place: Place, content: StoredMessage['content']): CorpBot[] => {
    if (place.type === 'app') return []
    const ids = place.type === 'group' ? place.group.bots : [place.botId]
    const bots = ids.flatMap((id) => world.org.bot(id) ?? [])
    const reached = place.type === 'group' ? notified(message, bots, content) : bots
    return reached.filter((bot) => world.org.sees(bot.visible, message.from) || isForeign(message.from))
  }
  const isForeign = (userid: string): boolean => world.org.member(userid)?.foreign !== undefined

  return {
    click,
    send: async (message) => {
      const place = placeOf(world, message.chat)
      const sender = speaker(message.from)
      mustBeIn(place, message.from)
      if (message.quote !== undefined && world.chats.find(message.quote)?.chat !== message.chat) {
        throw disallow('only a message of the same chat can be quoted')
      }
      const botName = message.at ? (world.org.bot(message.at.bot)?.name ?? '') : ''
      const content = contentOf(message, botName)
      const bots = toBots(message, place, content)
      const stored = world.chats.post({ chat: message.chat, sender, content, quoteId: message.quote })
      for (const bot of bots) botLink.message(bot, stored, sender.userid)
      const app = place.type === 'app' ? world.org.app(place.agentId) : undefined
      if (app && !app.disabled && world.org.sees(app.visible, message.from))
        appLink.message(app, stored, sender.userid)
      return stored.id
    },
    openChat: async (chat) => {
      const place = placeOf(world, chat)
      if (place.type === 'group') return
      const { userid } = speaker(place.userid)
      if (place.type === 'app') {
        const app = world.org.app(place.agentId)
        if (app) appLink.event(app, { userid, chat, name: 'enter_agent', fields: { EventKey: '' } })
        return
      }
      const bot = world.org.bot(place.botId)
      const day = Math.floor((world.clock.now() + SHANGHAI_OFFSET_MS) / DAY_MS)
      const key = `${chat}|${day}`
      if (!bot || opened.has(key) || !world.org.sees(bot.visible, userid)) return
      opened.add(key)
      botLink.enterChat(bot, chat, userid)
    },
    recall: async ({ messageId, from }) => {
      const message = world.chats.find(messageId)
      const isOwn = message?.sender.type === 'member' && sameUser(message.sender.userid, from)
      if (!message || !isOwn) throw disallow('only own messages can be recalled')
      if (world.clock.now() - message.sentAt > RECALL_MS) throw disallow('two minutes have passed')
      message.content = { type: 'recalled' }
      world.chats.touch(message)
    },
    feedback: async (input) => {
      const message = world.chats.find(input.messageId)
      if (!message || message.feedbackId === undefined || message.sender.type !== 'bot') {
        throw disallow('this message takes no feedback')
      }
      mustBeIn(placeOf(world, message.chat), input.from)
      const bot = world.org.bot(message.sender.botId)
      const detail =
        input.type === 2 ? { content: input.content ?? '', inaccurate_reason_list: input.reasons ?? [] } : {}
      if (bot) {
        const event = { id: message.feedbackId, type: input.type, ...detail }
        botLink.feedback(bot, message.chat, speaker(input.from).userid, event)
      }
    },
  }
}
