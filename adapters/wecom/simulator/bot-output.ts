/** What an AI bot puts into a chat, whichever way the body arrived: reply, push, passive answer, response_url. */
import { z } from 'zod'
import { checkCard } from './card-rules.ts'
import { type StoredMessage, storeCard } from './chats.ts'
import type { CorpBot } from './corp.ts'
import type { MediaType } from './media.ts'
import { isGroup } from './place.ts'
import { AIBOT_RULES } from './rates.ts'
import { accept, byteLength, refuse } from './refusal.ts'
import { MARKDOWN_MAX, type Streams } from './streams.ts'
import type { World } from './world.ts'

export interface BotBody {
  bot: CorpBot
  chat: string
  /** `reply` answers a message, `push` comes unasked, `url` came through response_url or a passive HTTP answer. */
  way: 'reply' | 'push' | 'url'
  /** Message types that this way takes. */
  allowed: readonly string[]
  body: unknown
  quoteId?: string | undefined
  countedFrom?: number
}

export interface BotOutput {
  /** Returns true unless the body was a stream that goes on. */
  place(input: BotBody): boolean
  /** Replaces the clicked card for everyone, or for `userids` in a group. */
  updateCard(message: StoredMessage, body: unknown): void
}

const feedback = z.looseObject({ id: z.string().min(1).max(256) }).optional()
const envelope = z.looseObject({ msgtype: z.string() })
const markdownBody = z.looseObject({ markdown: z.looseObject({ content: z.string().min(1), feedback }) })
const textBody = z.looseObject({ text: z.looseObject({ content: z.string().min(1) }) })
const cardBody = z.looseObject({ template_card: z.unknown().optional() })
const streamBody = z.looseObject({ stream: z.unknown() })
const updateBody = z.looseObject({
  response_type: z.literal('update_template_card'),
  userids: z.array(z.string()).optional(),
  template_card: z.unknown(),
})
const imageItems = z.array(
  z.looseObject({
    msgtype: z.literal('image'),
    image: z.looseObject({ base64: z.string(), md5: z.string() }),
  }),
)
const mediaId = z.looseObject({ media_id: z.string() })

const isMedia = (type: string): type is MediaType => ['file', 'image', 'voice', 'video'].includes(type)

/** Base64 images of a finished URL-mode stream; at most 10 of 10 MB. */
function streamImages(stream: unknown): Uint8Array[] {
  const items = accept(z.looseObject({ msg_item: imageItems.max(10).optional() }), stream).msg_item ?? []
  return items.map((item) => {
    const bytes = Buffer.from(item.image.base64, 'base64')
    if (bytes.length > 10 * 1024 * 1024) throw refuse(45001)
    return bytes
  })
}

interface OutputParts {
  world: World
  streams: Streams
}

export function createBotOutput(world: World, streams: Streams): BotOutput {
  const parts: OutputParts = { world, streams }
  return {
    place: (input) => place(parts, input),
    updateCard: (message, body) => updateCard(world, message, body),
  }
}

function place(parts: OutputParts, input: BotBody): boolean {
  const head = envelope.safeParse(input.body)
  if (!head.success) throw refuse(40008, 'msgtype missing')
  const type = head.data.msgtype
  if (!input.allowed.includes(type)) throw refuse(40008, type)
  if (type === 'stream') return placeStream(parts, input)
  if (type === 'stream_with_template_card') {
    const isFinished = placeStream(parts, input)
    if (accept(cardBody, input.body).template_card !== undefined) placeCard(parts.world, input)
    return isFinished
  }
  if (type === 'template_card') placeCard(parts.world, input)
  else if (type === 'text') placeText(parts.world, input)
  else if (isMedia(type)) placeMedia(parts.world, input, type)
  else placeMarkdown(parts.world, input)
  return true
}

function charge(world: World, { bot, chat }: BotBody): void {
  if (!world.rates.hit(`aibot:${bot.botId}|${chat}`, AIBOT_RULES)) throw refuse(846607)
}

function post(world: World, input: BotBody, content: StoredMessage['content'], feedbackId?: string): void {
  charge(world, input)
  const { chat, bot, quoteId } = input
  const sender = { type: 'bot' as const, botId: bot.botId, name: bot.name }
  world.chats.post({ chat, sender, content, quoteId, feedbackId })
}

function placeStream({ world, streams }: OutputParts, input: BotBody): boolean {
  const { stream } = accept(streamBody, input.body)
  return streams.apply({
    bot: input.bot,
    chat: input.chat,
    quoteId: input.quoteId,
    stream,
    ...(input.way === 'url' ? { images: streamImages(stream) } : {}),
    ...(input.countedFrom === undefined ? {} : { countedFrom: input.countedFrom }),
    charge: () => charge(world, input),
  })
}

function placeCard(world: World, input: BotBody): void {
  const mode = world.settings.groupCards
  const refused = mode === 'none' || (mode === 'reply-only' && input.way === 'push')
  if (refused && isGroup(world, input.chat)) throw refuse(40008, 'template_card in a group')
  const taskKey = (id: string): string => `bot:${input.bot.botId}|${id}`
  const isTaken = (id: string): boolean => world.tasks.has(taskKey(id))
  const card = checkCard(accept(cardBody, input.body).template_card, { owner: 'aibot', isTaken })
  post(world, input, { type: 'card', stored: storeCard(card) }, card.feedback?.id)
  if (typeof card.task_id === 'string') world.tasks.add(taskKey(card.task_id))
}

function placeText(world: World, input: BotBody): void {
  post(world, input, { type: 'text', text: accept(textBody, input.body).text.content })
}

function placeMarkdown(world: World, input: BotBody): void {
  const { markdown } = accept(markdownBody, input.body)
  if (byteLength(markdown.content) > MARKDOWN_MAX) throw refuse(45002)
  post(world, input, { type: 'markdown', text: markdown.content }, markdown.feedback?.id)
}

function placeMedia(world: World, input: BotBody, type: MediaType): void {
  const field = accept(z.looseObject({ [type]: mediaId }), input.body)[type]
  const item = world.media.take(accept(mediaId, field).media_id, `bot:${input.bot.botId}`)
  if (item.type !== type) throw refuse(40004, `media_id holds a ${item.type}`)
  post(world, input, { type, file: { name: item.name, bytes: item.bytes } })
}

function updateCard(world: World, message: StoredMessage, body: unknown): void {
  const input = accept(updateBody, body)
  if (message.content.type !== 'card') throw refuse(846605, 'not a card')
  const { stored } = message.content
  const update = { taskId: stored.taskId }
  const card = checkCard(input.template_card, { owner: 'aibot', update, isTaken: () => false })
  const viewers = isGroup(world, message.chat) ? (input.userids ?? []) : []
  for (const userid of viewers) stored.byViewer.set(userid.toLowerCase(), card)
  if (viewers.length === 0) {
    stored.raw = card
    stored.byViewer.clear()
  }
  world.chats.touch(message)
}
