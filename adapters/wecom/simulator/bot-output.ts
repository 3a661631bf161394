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
  updateCard(bot: CorpBot, message: StoredMessage, body: unknown): void
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

export function createBotOutput(world: World, streams: Streams): BotOutput {
  const sender = (bot: CorpBot) => ({ type: 'bot' as const, botId: bot.botId, name: bot.name })
  const charge = (input: BotBody): void => {
    if (!world.rates.hit(`aibot:${input.bot.botId}|${input.chat}`, AIBOT_RULES)) throw refuse(846607)
  }
  const post = (input: BotBody, content: StoredMessage['content'], feedbackId?: string): void => {
    charge(input)
    world.chats.post({
      chat: input.chat,
      sender: sender(input.bot),
      content,
      quoteId: input.quoteId,
      feedbackId,
    })
  }

  const placeCard = (input: BotBody, raw: unknown): void => {
    const mode = world.settings.groupCards
    const refused = mode === 'none' || (mode === 'reply-only' && input.way === 'push')
    if (refused && isGroup(world, input.chat)) throw refuse(40008, 'template_card in a group')
    const taskKey = (id: string): string => `bot:${input.bot.botId}|${id}`
    const card = checkCard(raw, { owner: 'aibot', isTaken: (id) => world.tasks.has(taskKey(id)) })
    post(input, { type: 'card', stored: storeCard(card) }, card.feedback?.id)
    if (typeof card.task_id === 'string') world.tasks.add(taskKey(card.task_id))
  }

  const placeStream = (input: BotBody, stream: unknown): boolean =>
    streams.apply({
      bot: input.bot,
      chat: input.chat,
      quoteId: input.quoteId,
      stream,
      ...(input.way === 'url' ? { images: streamImages(stream) } : {}),
      ...(input.countedFrom === undefined ? {} : { countedFrom: input.countedFrom }),
      charge: () => charge(input),
    })

  const placeMedia = (input: BotBody, type: MediaType): void => {
    const field = accept(z.looseObject({ [type]: mediaId }), input.body)[type]
    const item = world.media.take(accept(mediaId, field).media_id, `bot:${input.bot.botId}`)
    if (item.type !== type) throw refuse(40004, `media_id holds a ${item.type}`)
    post(input, { type, file: { name: item.name, bytes: item.bytes } })
  }

  const placeMarkdown = (input: BotBody): void => {
    const { markdown } = accept(markdownBody, input.body)
    if (byteLength(markdown.content) > MARKDOWN_MAX) throw refuse(45002)
    post(input, { type: 'markdown', text: markdown.content }, markdown.feedback?.id)
  }

  return {
    place: (input) => {
      const head = envelope.safeParse(input.body)
      if (!head.success) throw refuse(40008, 'msgtype missing')
      const type = head.data.msgtype
      if (!input.allowed.includes(type)) throw refuse(40008, type)
      if (type === 'stream') return placeStream(input, accept(streamBody, input.body).stream)
      if (type === 'stream_with_template_card') {
        const finished = placeStream(input, accept(streamBody, input.body).stream)
        const { template_card: card } = accept(cardBody, input.body)
        if (card !== undefined) placeCard(input, card)
        return finished
      }
      if (type === 'template_card') placeCard(input, accept(cardBody, input.body).template_card)
      else if (type === 'text') post(input, { type: 'text', text: accept(textBody, input.body).text.content })
      else if (isMedia(type)) placeMedia(input, type)
      else placeMarkdown(input)
      return true
    },
    updateCard: (bot, message, body) => {
      const input = accept(updateBody, body)
      if (message.content.type !== 'card') throw refuse(846605, 'not a card')
      const { stored } = message.content
      const card = checkCard(input.template_card, {
        owner: 'aibot',
        update: { taskId: stored.taskId },
        isTaken: () => false,
      })
      const viewers = isGroup(world, message.chat) ? (input.userids ?? []) : []
      for (const userid of viewers) stored.byViewer.set(userid.toLowerCase(), card)
      if (viewers.length === 0) {
        stored.raw = card
        stored.byViewer.clear()
      }
      world.logger.debug({ botId: bot.botId, messageId: message.id }, 'card updated')
      world.chats.touch(message)
    },
  }
}
