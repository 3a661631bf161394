/** An errand: one message of a person, and what may come of it. Its tag is in everything that it causes. */
import type { Company } from '../e2e/support/company.ts'

export const ERRAND_KINDS = ['ask', 'run', 'refuse', 'call'] as const

/** `ask` wants words, `run` a command that is allowed, `refuse` one that is not, `call` a call of an MCP server. */
export type ErrandKind = (typeof ERRAND_KINDS)[number]

export interface Errand {
  readonly tag: string
  readonly kind: ErrandKind
  readonly company: Company
  readonly chatId: string
  readonly messageId: string
  readonly saidAt: number
  /** An administrator pressed "allow" on its card. */
  allowed: boolean
  /** How it ended in its person's eyes. `unheard`: the platform never handed the message over. */
  end: 'open' | 'answered' | 'unheard' | 'unknown'
}

const TAG = new RegExp(`\\b(?:${ERRAND_KINDS.join('|')})-\\d+\\b`, 'g')

/** The last tag in a text. */
export function tagIn(text: string): string | undefined {
  return text.match(TAG)?.at(-1)
}

/** What the person writes. */
export function wordsOf(kind: ErrandKind, tag: string): string {
  switch (kind) {
    case 'ask':
      return `说说 ${tag}`
    case 'run':
    case 'refuse':
      return `请办 ${tag}`
    case 'call':
      return `请记 ${tag}`
  }
}
