/** Whether a schedule may still run under today's access rules (T7), and who may see or change it. */
import { type Access, sameUser } from '../policy/access.ts'
import type { UserKey } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Asker } from '../protocol/schedule.ts'
import type { ScheduleRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { requirePresent } from './destination.ts'
import { type Authority, NOBODY, parseAuthority, parseSpec } from './spec.ts'

/** Why a schedule must pause before it runs; undefined when it may run. */
export async function refusalToRun(db: Db, access: Access, row: ScheduleRow): Promise<AppError | undefined> {
  const spec = parseSpec(row.spec)
  try {
    await requirePresent(db, spec.to)
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
  if (row.creator === NOBODY) return undefined
  return creatorRefusal(access, row.creator as UserKey, parseAuthority(row.authority), spec.to)
}

function creatorRefusal(
  access: Access,
  creator: UserKey,
  authority: Authority,
  to: Parameters<Access['mayTalk']>[1],
): AppError | undefined {
  const origin = authority.origin ?? to
  const params = { who: authority.name ?? creator }
  if (!access.mayTalk(creator, origin)) {
    return new AppError('schedule.creator_gone', `${creator} may not use the service any more`, {
      hint: 'Somebody with rights must create the schedule again.',
      params,
    })
  }
  if (authority.mayOperate && !access.mayOperate(creator, origin)) {
    return new AppError('schedule.creator_rights', `${creator} has lost the right to operate`, {
      hint: 'Give the right back and resume the schedule, or let somebody else create it.',
      params,
    })
  }
  return undefined
}

/** Whether the asker may know of a schedule: administrators, its creator, and the chats it concerns. */
export function maySee(access: Access, row: ScheduleRow, asker: Asker): boolean {
  if (mayChange(access, row, asker)) return true
  const { origin } = parseAuthority(row.authority)
  const { botId, chatId } = asker.address
  return (
    (row.bot_id === botId && row.chat_id === chatId) || (origin?.botId === botId && origin.chatId === chatId)
  )
}

/** Whether the asker may change a schedule: administrators and its creator. */
export function mayChange(access: Access, row: ScheduleRow, asker: Pick<Asker, 'user'>): boolean {
  return access.isAdmin(asker.user) || sameUser(asker.user, row.creator)
}
