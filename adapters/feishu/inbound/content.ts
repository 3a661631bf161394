import { z } from 'zod'
import type { Attachment, MessageEvent } from '../../../src/protocol/inbound.ts'
import { maybeText, optionalText } from './envelope.ts'
import { joinPieces, type MentionTable } from './mentions.ts'
import { readPost } from './post.ts'
import { isRecord } from './shape.ts'

/** What a message's `content` says, whatever its type. */
export interface Content {
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly mentionsAll: boolean
  readonly bundle?: Readonly<Record<string, string>>
  readonly note?: NonNullable<MessageEvent['note']>
}

/** Nearly every message is a text: it is not read through the fields of all other types. */
const textSchema = z.object({ text: maybeText.catch(undefined) })

const optionalField = optionalText.catch(undefined)

const fieldsSchema = z.looseObject({
  text: optionalField,
  image_key: optionalField,
  file_key: optionalField,
  file_name: optionalField,
  chat_id: optionalField,
  user_id: optionalField,
  name: optionalField,
  longitude: optionalField,
  latitude: optionalField,
  topic: optionalField,
  options: z.array(z.string()).optional().catch(undefined),
  template: optionalField,
})

type Fields = z.output<typeof fieldsSchema>

/**
 * Reads the JSON string of a message. A type that is unknown, or content that does not parse, becomes
 * a note that people see: a message never vanishes.
 */
export function readContent(
  type: string,
  content: string,
  messageId: string,
  mentions: MentionTable,
): Content {
  const raw = parseJson(content)
  if (type === 'text') {
    if (isRecord(raw) && typeof raw.text === 'string') return readText(raw.text, mentions)
    const text = textSchema.safeParse(raw)
    return text.success ? readText(text.data.text ?? '', mentions) : noted('feishu.note.unreadable', { type })
  }
  const parsed = fieldsSchema.safeParse(raw)
  if (!parsed.success) return noted('feishu.note.unreadable', { type })
  const fields = parsed.data
  switch (type) {
    case 'post':
      return readRich(raw, messageId, mentions, 'post')
    case 'interactive':
      return readRich(readCardForm(raw), messageId, mentions, 'interactive')
    case 'image':
    case 'file':
    case 'audio':
    case 'media':
      return readFile(type, fields, messageId)
    case 'merge_forward':
      return { ...empty, bundle: { messageId } }
    default:
      return readOther(type, fields, raw)
  }
}

const empty: Content = { text: '', attachments: [], mentionsAll: false }

function noted(key: string, params: Record<string, string> = {}, text = ''): Content {
  return { ...empty, text, note: { key, params } }
}

function readText(text: string, mentions: MentionTable): Content {
  return {
    ...empty,
    text: joinPieces(mentions.pieces(text)),
    mentionsAll: mentions.mentionsAll || /@_all(?![\w])/.test(text),
  }
}

function readRich(raw: unknown, messageId: string, mentions: MentionTable, type: string): Content {
  const post = readPost(raw, messageId, mentions)
  if (!post) return noted('feishu.note.unreadable', { type })
  const text = joinPieces(post.pieces)
  if (!text && post.attachments.length === 0 && type === 'interactive') return noted('feishu.note.card')
  return { text, attachments: post.attachments, mentionsAll: mentions.mentionsAll || post.mentionsAll }
}

/** A card arrives as `elements` where a post has `content`. */
function readCardForm(raw: unknown): unknown {
  const card = z.looseObject({ title: z.string().nullish(), elements: z.unknown() }).safeParse(raw)
  return card.success ? { title: card.data.title, content: card.data.elements ?? [] } : raw
}

function readFile(type: 'image' | 'file' | 'audio' | 'media', fields: Fields, messageId: string): Content {
  const key = type === 'image' ? fields.image_key : fields.file_key
  if (!key) return noted('feishu.note.unreadable', { type })
  const attachment: Attachment = {
    kind: type === 'media' ? 'video' : type,
    handle: { messageId, fileKey: key, type: type === 'image' ? 'image' : 'file' },
    ...(fields.file_name ? { name: fields.file_name } : {}),
  }
  return { ...empty, attachments: [attachment] }
}

/** Types that carry no file: a line of what they say, and a note of what cannot be opened. */
function readOther(type: string, fields: Fields, raw: unknown): Content {
  switch (type) {
    case 'folder':
      return noted('feishu.note.folder', { name: fields.file_name ?? '' })
    case 'sticker':
      return noted('feishu.note.sticker')
    case 'share_chat':
      return noted('feishu.note.share_chat', { id: fields.chat_id ?? '' })
    case 'share_user':
      return noted('feishu.note.share_user', { id: fields.user_id ?? '' })
    case 'location':
      return noted('feishu.note.location', {
        name: fields.name ?? '',
        place: `${fields.longitude ?? '?'}, ${fields.latitude ?? '?'}`,
      })
    case 'hongbao':
      return noted('feishu.note.hongbao')
    case 'vote':
      return noted('feishu.note.vote', {}, [fields.topic, ...(fields.options ?? [])].join('\n- ').trim())
    case 'todo':
      return noted('feishu.note.todo', {}, readSummary(raw))
    case 'video_chat':
      return noted('feishu.note.meeting', { topic: fields.topic ?? '' })
    case 'calendar':
    case 'share_calendar_event':
    case 'general_calendar':
      return noted('feishu.note.calendar', { topic: readSummary(raw) })
    case 'system':
      return noted('feishu.note.system', {}, fields.template ?? '')
    default:
      return noted('feishu.note.unknown_type', { type }, fields.text ?? '')
  }
}

/** A to-do's summary is a small post, a calendar event's is a plain string. */
function readSummary(raw: unknown): string {
  const plain = z.looseObject({ summary: z.string() }).safeParse(raw)
  if (plain.success) return plain.data.summary
  const rich = z
    .looseObject({
      summary: z.looseObject({
        title: z.string().nullish(),
        content: z.array(z.array(z.looseObject({ text: z.string().optional() }))).optional(),
      }),
    })
    .safeParse(raw)
  if (!rich.success) return ''
  const { title, content } = rich.data.summary
  const words = (content ?? []).flat().map((element) => element.text ?? '')
  return [title ?? '', words.join('')].filter(Boolean).join('\n')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
