import { z } from 'zod'
import { userKey } from '../../../src/protocol/address.ts'
import type { Mention } from '../../../src/protocol/inbound.ts'
import { type InboundContext, maybeText } from './envelope.ts'

/** One entry of `mentions`: an object as id in events, a bare open_id in answers of the message API. */
export const mentionSchema = z.object({
  key: z.string(),
  // The form of events comes first: a union tries its forms in order.
  id: z.union([z.object({ open_id: maybeText }), z.string()]).nullish(),
  name: maybeText,
  mentioned_type: maybeText,
})

type RawMention = z.output<typeof mentionSchema>

/** Placeholders as they always were; other keys get a pattern of their own. */
const PLACEHOLDER = /(@_(?:user_\d+|all)(?!\d))/
const PLACEHOLDER_KEY = /^@_(?:user_\d+|all)$/

/** Text in pieces; `own` stands where the bot itself was mentioned. */
export type Piece = { readonly text: string } | { readonly own: true }

/** The mentions of one message. */
export interface MentionTable {
  readonly mentions: readonly Mention[]
  readonly mentionsBot: boolean
  readonly mentionsAll: boolean
  /** Cuts a text at its placeholders and puts names in their place. */
  pieces(text: string): Piece[]
  /** The piece for one placeholder key or open_id, as a post's `at` element carries it. */
  piece(key: string, fallbackName: string): Piece
}

/**
 * Reads the mentions of one message. The bot is recognised by open_id only, never by name or position.
 * Placeholders are replaced in one pass, longest first and never before another digit, so `@_user_1`
 * cannot eat the front of `@_user_10` and a name that looks like a placeholder stays a name.
 */
export function readMentions(raw: readonly RawMention[], context: InboundContext): MentionTable {
  const mentioned = raw.map((mention) => ({
    ...{ key: mention.key, id: openIdOf(mention) },
    ...{ name: mention.name, mentioned_type: mention.mentioned_type },
  }))
  const byKey = new Map(mentioned.map((mention) => [mention.key, mention]))
  const people = mentioned.filter((mention) => mention.key !== '@_all')
  const isOwn = (openId: string | undefined): boolean => openId !== undefined && openId === context.botOpenId

  const piece = (key: string, fallbackName: string): Piece => {
    if (key === '@_all' || key === 'all') return { text: context.everyone }
    const mention = byKey.get(key) ?? people.find((candidate) => candidate.id === key)
    if (isOwn(mention?.id ?? key)) return { own: true }
    return { text: `@${mention?.name || fallbackName || key.replace(/^@/, '')}` }
  }

  const pattern = patternOf([...byKey.keys()])
  const pieces = (text: string): Piece[] => {
    // Split by a pattern in brackets, every second part is a placeholder.
    return text
      .split(pattern)
      .map((part, at) =>
        at % 2 === 1 && (part === '@_all' || byKey.has(part)) ? piece(part, '') : { text: part },
      )
  }

  return {
    mentions: people.map((mention) => ({
      user: mention.id ? userKey('feishu', mention.id) : userKey('unknown', mention.key),
      name: mention.name ?? '',
      isBot: mention.mentioned_type === 'bot' || isOwn(mention.id),
    })),
    mentionsBot: people.some((mention) => isOwn(mention.id)),
    mentionsAll: byKey.has('@_all'),
    pieces,
    piece,
  }
}

/** Joins pieces; where the bot was mentioned at most one space remains, and none at an edge. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = ''
  let afterOwn = false
  for (const piece of pieces) {
    if ('own' in piece) {
      afterOwn = true
      continue
    }
    if (!piece.text) continue
    text = afterOwn ? closeGap(text, piece.text) : text + piece.text
    afterOwn = false
  }
  return text.trim()
}

function closeGap(before: string, after: string): string {
  const left = before.replace(/[ \t\u00a0]+$/, '')
  const right = after.replace(/^[ \t\u00a0]+/, '')
  const needsSpace = left !== '' && right !== '' && !left.endsWith('\n') && !right.startsWith('\n')
  return needsSpace ? `${left} ${right}` : left + right
}

function openIdOf({ id }: RawMention): string | undefined {
  return (typeof id === 'string' ? id : id?.open_id) || undefined
}

function patternOf(keys: readonly string[]): RegExp {
  if (keys.every((key) => PLACEHOLDER_KEY.test(key))) return PLACEHOLDER
  const longest = [...new Set([...keys, '@_all'])].sort((a, b) => b.length - a.length)
  return new RegExp(`((?:${longest.map(escapePattern).join('|')})(?!\\d))`)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
