import { z } from 'zod'
import type { Attachment } from '../../../src/protocol/inbound.ts'
import { optionalText } from './envelope.ts'
import type { MentionTable, Piece } from './mentions.ts'

const elementSchema = z.looseObject({
  tag: z.string(),
  text: optionalText,
  href: optionalText,
  user_id: optionalText,
  user_name: optionalText,
  image_key: optionalText,
  file_key: optionalText,
  file_name: optionalText,
  emoji_type: optionalText,
  language: optionalText,
})

const bodySchema = z.looseObject({
  title: z.string().nullish(),
  content: z.array(z.array(elementSchema)).nullish(),
})

/** A received post has no locale wrapper; some clients send one all the same. */
const postSchema = z.union([
  bodySchema.refine((post) => post.content !== undefined && post.content !== null),
  z.record(z.string(), bodySchema).transform((locales) => Object.values(locales)[0] ?? {}),
  bodySchema,
])

type Element = z.output<typeof elementSchema>

/** Text and files of a post, or of a card's lossy text form, which has the same element lists. */
export function readPost(
  content: unknown,
  messageId: string,
  mentions: MentionTable,
): { pieces: Piece[]; attachments: Attachment[]; mentionsAll: boolean } | undefined {
  const parsed = postSchema.safeParse(content)
  if (!parsed.success) return undefined
  const { title, content: paragraphs } = parsed.data
  const elements = (paragraphs ?? []).flat()
  const worded = (paragraphs ?? []).filter((line) => line.length === 0 || !line.every(isPicture))
  const lines = worded.map((line) => line.map((element) => readElement(element, mentions)))
  return {
    pieces: [
      ...(title ? [{ text: `${title}\n` }] : []),
      ...lines.flatMap((line) => [...line, { text: '\n' }]),
    ],
    attachments: elements.flatMap((element) => readAttachment(element, messageId)),
    mentionsAll: elements.some((element) => element.tag === 'at' && /^@?_?all$/.test(element.user_id ?? '')),
  }
}

/** Pictures and videos become attachments and leave no empty line behind. */
function isPicture(element: Element): boolean {
  return element.tag === 'img' || element.tag === 'media'
}

function readElement(element: Element, mentions: MentionTable): Piece {
  switch (element.tag) {
    case 'at':
      return mentions.piece(element.user_id ?? '', element.user_name ?? '')
    case 'a':
      return { text: readLink(element) }
    case 'emotion':
      return { text: `[${element.emoji_type ?? ''}]` }
    case 'hr':
      return { text: '---' }
    case 'code_block':
      return {
        text: `\`\`\`${(element.language ?? '').toLowerCase()}\n${(element.text ?? '').replace(/\n$/, '')}\n\`\`\``,
      }
    case 'img':
    case 'media':
      return { text: '' }
    default:
      return { text: element.text ?? '' }
  }
}

function readLink(element: Element): string {
  const { text, href } = element
  if (!href || text === href) return text ?? href ?? ''
  return text ? `[${text}](${href})` : href
}

function readAttachment(element: Element, messageId: string): Attachment[] {
  if (element.tag === 'img' && element.image_key) {
    return [{ kind: 'image', handle: { messageId, fileKey: element.image_key, type: 'image' } }]
  }
  if (element.tag === 'media' && element.file_key) {
    return [
      {
        kind: 'video',
        handle: { messageId, fileKey: element.file_key, type: 'file' },
        ...(element.file_name ? { name: element.file_name } : {}),
      },
    ]
  }
  return []
}
