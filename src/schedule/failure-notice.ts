/** Notifies a schedule's creator and the administrators of a failure. */
import { createHash } from 'node:crypto'
import { type Address, chatKey } from '../protocol/address.ts'
import type { AppError } from '../protocol/errors.ts'
import type { Translate } from '../protocol/ports.ts'
import { directChatOf } from '../store/repositories/sessions.ts'
import type { ScheduleRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { isRobot, NOBODY, parseAuthority, parseSpec } from './spec.ts'

const NOTICE_DEADLINE_MS = 24 * 3_600_000

const NOBODY_HINT =
  'Neither its creator nor an administrator has a direct chat with a bot of this service. Let one of them write to the bot once; until then /schedule shows how the last runs ended.'

/**
 * Queues one notice per place: the creator's direct chat or, without one, the chat of creation; and
 * each administrator's direct chat. `cause` makes a repeated notice one notice. Never rejects for want
 * of a reachable person: the log says it then.
 */
export async function notifyFailure(
  deps: ScheduleDeps,
  row: ScheduleRow,
  cause: string,
  words: (text: Translate) => string,
): Promise<void> {
  const places = await placesOf(deps, row)
  if (places.length === 0)
    deps.logger.error(
      { schedule: row.id, cause, hint: NOBODY_HINT },
      'nobody could be told about a schedule that failed',
    )
  for (const address of places) {
    const key = createHash('sha256')
      .update(`${cause}\n${chatKey(address)}`)
      .digest('hex')
      .slice(0, 40)
    await deps.outbox.put(deps.store.db, {
      key: `t-${key}`,
      address,
      ref: 'notice',
      priority: 'high',
      deadlineMs: NOTICE_DEADLINE_MS,
      payload: { message: { type: 'markdown', markdown: words(deps.text(address.botId)) } },
    })
    deps.outbox.flush(chatKey(address))
  }
}

/** An error as localised text: `error.<code>` if that exists, else the error's own message. */
export function errorText(error: AppError, text: Translate): string {
  try {
    return text(`error.${error.code}`, error.params)
  } catch {
    return [error.message, error.hint].filter(Boolean).join(' ')
  }
}

async function placesOf(deps: ScheduleDeps, row: ScheduleRow): Promise<Address[]> {
  const spec = parseSpec(row.spec)
  const { origin } = parseAuthority(row.authority)
  const chatOf = (user: string): Promise<Address | undefined> =>
    directChatOf(deps.store.db, user, deps.bots.ids)
  const own = (row.creator === NOBODY ? undefined : await chatOf(row.creator)) ?? origin
  const admins = await Promise.all(deps.admins.map(chatOf))
  const wanted = [own, ...admins].filter((one) => one !== undefined)
  const usable = wanted.filter((one) => !isRobot(one) && deps.bots.ids.includes(one.botId))
  const byChat = new Map(usable.map((one) => [chatKey(one), one]))
  // If the destination itself failed, a notice there would fail too; it stays only if there is no other chat.
  if (byChat.size > 1) byChat.delete(chatKey(spec.to))
  return [...byChat.values()]
}
