/** What people do in the client: speak, mention, quote, send files, open chats, give feedback. Clicks are in clicks.ts. */
import type { AppLink } from './app-link.ts'
import type { BotLink } from './bot-link.ts'
import type { StoredMessage } from './chats.ts'
import type { PeopleControl, PersonFeedback, PersonMessage } from './control.ts'
import type { CorpBot } from './corp.ts'
import { sameUser } from './org.ts'
import { type Place, placeOf } from './place.ts'
import { disallow } from './refusal.ts'
import { notifiedBots, utteranceOf } from './utterance.ts'
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

interface PeopleParts extends Deps {
  /** `chat|day` of every enter_chat so far. */
  opened: Set<string>
}

export function createPeople(deps: Deps): PeopleControl {
  const parts: PeopleParts = { ...deps, opened: new Set() }
  return {
    click: deps.click,
    send: async (message) => send(parts, message),
    openChat: async (chat) => openChat(parts, chat),
    recall: async ({ messageId, from }) => recall(deps.world, messageId, from),
    feedback: async (input) => giveFeedback(parts, input),
  }
}

function speaker(world: World, userid: string): Sender & { type: 'member' } {
  const member = world.org.member(userid)
  if (!member) throw disallow(`${userid} is not in the corp`)
  return { type: 'member', userid: member.userid, name: member.name }
}

function mustBeIn(place: Place, userid: string): void {
  const people = place.type === 'group' ? place.group.members : [place.userid]
  if (!people.some((id) => sameUser(id, userid))) throw disallow(`${userid} is not in this chat`)
}

/** The bots that get this message: in a group the mentioned ones, and only those that may serve the person. */
function reachedBots(
  world: World,
  message: PersonMessage,
  place: Place,
  content: StoredMessage['content'],
): CorpBot[] {
  if (place.type === 'app') return []
  const ids = place.type === 'group' ? place.group.bots : [place.botId]
  const bots = ids.flatMap((id) => world.org.bot(id) ?? [])
  const reached = place.type === 'group' ? notifiedBots(message, bots, content) : bots
  const isForeign = world.org.member(message.from)?.foreign !== undefined
  return reached.filter((bot) => isForeign || world.org.sees(bot.visible, message.from))
}

function send({ world, botLink, appLink }: PeopleParts, message: PersonMessage): string {
  const place = placeOf(world, message.chat)
  const sender = speaker(world, message.from)
  mustBeIn(place, message.from)
  if (message.quote !== undefined && world.chats.find(message.quote)?.chat !== message.chat) {
    throw disallow('only a message of the same chat can be quoted')
  }
  const botName = message.at ? (world.org.bot(message.at.bot)?.name ?? '') : ''
  const content = utteranceOf(message, botName)
  const bots = reachedBots(world, message, place, content)
  const stored = world.chats.post({ chat: message.chat, sender, content, quoteId: message.quote })
  for (const bot of bots) botLink.message(bot, stored, sender.userid)
  const app = place.type === 'app' ? world.org.app(place.agentId) : undefined
  if (app && !app.disabled && world.org.sees(app.visible, message.from)) {
    appLink.message(app, stored, sender.userid)
  }
  return stored.id
}

function openChat({ world, botLink, appLink, opened }: PeopleParts, chat: string): void {
  const place = placeOf(world, chat)
  if (place.type === 'group') return
  const { userid } = speaker(world, place.userid)
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
}

function recall(world: World, messageId: string, from: string): void {
  const message = world.chats.find(messageId)
  const isOwn = message?.sender.type === 'member' && sameUser(message.sender.userid, from)
  if (!message || !isOwn) throw disallow('only own messages can be recalled')
  if (world.clock.now() - message.sentAt > RECALL_MS) throw disallow('two minutes have passed')
  message.content = { type: 'recalled' }
  world.chats.touch(message)
}

function giveFeedback({ world, botLink }: PeopleParts, input: PersonFeedback): void {
  const message = world.chats.find(input.messageId)
  const bot = message?.sender.type === 'bot' ? world.org.bot(message.sender.botId) : undefined
  if (!message || !bot || message.feedbackId === undefined) throw disallow('this message takes no feedback')
  mustBeIn(placeOf(world, message.chat), input.from)
  const reasons = { content: input.content ?? '', inaccurate_reason_list: input.reasons ?? [] }
  const event = { id: message.feedbackId, type: input.type, ...(input.type === 2 ? reasons : {}) }
  botLink.feedback(bot, message.chat, speaker(world, input.from).userid, event)
}
