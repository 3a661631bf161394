/** Passive XML replies of a self-built app, as messages or card changes (doc 90241). */
import { z } from 'zod'
import type { CardChange } from './app-cards.ts'
import { checkCard } from './card-rules.ts'
import type { StoredMessage } from './chats.ts'
import type { MediaItem } from './media.ts'
import { accept, byteLength, refuse } from './refusal.ts'

/** `note` becomes a message in the chat; `change` changes the clicked copy. */
export type AppReply =
  | { type: 'note'; content: StoredMessage['content'] }
  | { type: 'change'; change: CardChange }

const TEXT_MAX = 2048
const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]), z.array(item))

const head = z.looseObject({ MsgType: z.string() })
const textReply = z.looseObject({ Content: z.string() })
const newsReply = z.looseObject({
  Articles: z.looseObject({
    item: listOf(
      z.looseObject({ Title: z.string(), Description: z.string().optional(), Url: z.string().optional() }),
    ),
  }),
})
const buttonReply = z.looseObject({ Button: z.looseObject({ ReplaceName: z.string() }) })
const cardReply = z.looseObject({ TemplateCard: z.looseObject({ ReplaceText: z.string().optional() }) })

/** Cuts to whole characters within `max` UTF-8 bytes, as the platform does with long texts. */
export function cutText(text: string, max = TEXT_MAX): string {
  if (byteLength(text) <= max) return text
  const kept: string[] = []
  let size = 0
  for (const character of text) {
    size += byteLength(character)
    if (size > max) break
    kept.push(character)
  }
  return kept.join('')
}

const LISTS = new Set([
  'button_list',
  'horizontal_content_list',
  'vertical_content_list',
  'jump_list',
  'select_list',
  'option_list',
  'action_list',
])
const NUMBERS = new Set(['type', 'style', 'desc_color', 'mode', 'quote_area_type'])

const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

/** PascalCase strings of XML to the snake_case JSON of the same card. */
function jsonCard(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (NUMBERS.has(name)) return Number(value)
    return value
  }
  if (Array.isArray(value)) return value.map((item) => jsonCard(item, name))
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([key, inner]) => {
    const own = snakeCase(key)
    const plain = jsonCard(inner, own)
    return [own, LISTS.has(own) && !Array.isArray(plain) ? [plain] : plain]
  })
  return Object.fromEntries(fields)
}

/** Reads a decrypted passive reply. `media` looks up a media_id or refuses. */
export function readAppReply(xml: Record<string, unknown>, media: (id: string) => MediaItem): AppReply {
  const { MsgType: type } = accept(head, xml)
  switch (type) {
    case 'text':
      return { type: 'note', content: { type: 'text', text: cutText(accept(textReply, xml).Content) } }
    case 'image':
    case 'voice':
    case 'video': {
      const field = z.looseObject({ MediaId: z.string() })
      const tag = `${type[0]?.toUpperCase()}${type.slice(1)}`
      const item = media(accept(field, accept(z.looseObject({ [tag]: field }), xml)[tag]).MediaId)
      return { type: 'note', content: { type, file: { name: item.name, bytes: item.bytes } } }
    }
    case 'news': {
      const articles = accept(newsReply, xml).Articles.item.map((item) => ({
        title: item.Title,
        ...(item.Description === undefined ? {} : { description: item.Description }),
        ...(item.Url === undefined ? {} : { url: item.Url }),
      }))
      return { type: 'note', content: { type: 'news', articles } }
    }
    case 'update_button':
      return {
        type: 'change',
        change: { type: 'button', replaceName: accept(buttonReply, xml).Button.ReplaceName },
      }
    case 'update_template_card': {
      const raw = jsonCard(accept(cardReply, xml).TemplateCard)
      const card = checkCard(raw, { owner: 'app', update: { taskId: undefined }, isTaken: () => false })
      return { type: 'change', change: { type: 'card', card } }
    }
    default:
      throw refuse(40008, type)
  }
}
