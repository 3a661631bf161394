/** Whether a message is for us, and what it is. Pure: rules, ids and times in; a verdict out. */
import type { Access } from '../policy/access.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import { type ParsedCommand, parseCommand } from './command-line.ts'

export type Admission =
  /** Not addressed to us; nothing is stored, nothing is said. */
  | { readonly verdict: 'ignore' }
  /** Addressed to us, but not allowed or too old: stored for the dedupe, answered with this text. */
  | {
      readonly verdict: 'refuse'
      readonly textKey: string
      readonly params?: Readonly<Record<string, string | number>>
    }
  | { readonly verdict: 'command'; readonly command: ParsedCommand }
  | { readonly verdict: 'message' }

/**
 * A platform re-pushes what was not acknowledged for up to seven hours. What was handled is known by
 * its id; what is first seen this late is not run any more, since the person has long moved on. The
 * default of `inbound.staleAfter`.
 */
export const STALE_AFTER_MS = 2 * 3_600_000

/** Judges a message, in this order: is it addressed to us, recent enough, from somebody who may talk, a command, not empty. */
export function admit(
  event: MessageEvent,
  rules: { access: Access; answerAll: boolean; now: number; staleAfterMs?: number },
): Admission {
  if (!isAddressed(event, rules.answerAll)) return { verdict: 'ignore' }
  const hours = Math.floor((rules.now - event.sentAt) / 3_600_000)
  if (rules.now - event.sentAt > (rules.staleAfterMs ?? STALE_AFTER_MS))
    return { verdict: 'refuse', textKey: 'gateway.stale', params: { hours } }
  if (!rules.access.mayTalk(event.sender.user, event.address)) {
    return { verdict: 'refuse', textKey: 'gateway.may_not_talk', params: { user: event.sender.user } }
  }
  const command = event.sender.isBot ? undefined : parseCommand(event.text)
  if (command) return { verdict: 'command', command }
  if (isEmpty(event)) return { verdict: 'refuse', textKey: 'gateway.empty' }
  return { verdict: 'message' }
}

/** Groups need a mention of the bot itself; direct chats do not. Another bot is never answered without one. */
function isAddressed(event: MessageEvent, answerAll: boolean): boolean {
  if (event.mentionsBot) return true
  if (event.sender.isBot) return false
  return event.address.chatType === 'direct' || (answerAll && event.mentionsAll)
}

function isEmpty(event: MessageEvent): boolean {
  return (
    event.text.trim() === '' &&
    event.attachments.length === 0 &&
    !event.quoted &&
    !event.bundle &&
    !event.note
  )
}
