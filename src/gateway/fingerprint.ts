/**
 * What a message says, for the case that a platform delivers it again under new ids, as some do after a
 * lost connection (R23): same place, same person, same moment, same words.
 */
import { hash } from 'node:crypto'
import type { MessageEvent } from '../protocol/inbound.ts'

/** A message that comes this soon after it was sent, milliseconds, is no replay after a lost connection. */
const PROMPT_MS = 2_000

const DIGEST_CHARACTERS = 32
const TIME_CHARACTERS = 9

/**
 * The moment, then half of a SHA-256. The moment comes first so that the index of fingerprints grows at its
 * end; all digest, every event would touch a page of its own. Undefined for what is not written by anybody on a
 * platform, or says nothing to compare.
 */
export function fingerprint(event: MessageEvent): string | undefined {
  if (event.scheduled || event.sentAt <= 0 || event.sender.user.startsWith('unknown:')) return undefined
  const files = event.attachments.map(({ kind, name }) => [kind, name ?? ''])
  if (event.text.trim() === '' && files.length === 0) return undefined
  // Several pictures chosen at once carry one time and no names: nothing here tells them apart.
  if (isWholeSecond(event) && files.some(([, name]) => name === '')) return undefined
  const { botId, chatId, threadId } = event.address
  const said = [botId, chatId, threadId ?? '', event.sender.user, event.sentAt, event.text, files]
  const digest = hash('sha256', JSON.stringify(said), 'hex').slice(0, DIGEST_CHARACTERS)
  return event.sentAt.toString(36).padStart(TIME_CHARACTERS, '0') + digest
}

/**
 * Whether two equal messages may both be meant: where the platform tells times in whole seconds, somebody may
 * have sent the same word twice within one. Only what comes late is then taken for a replay.
 */
export function mayBeMeantTwice(event: MessageEvent, now: number): boolean {
  return isWholeSecond(event) && now - event.sentAt < PROMPT_MS
}

function isWholeSecond({ sentAt }: MessageEvent): boolean {
  return sentAt % 1_000 === 0
}
