/** Checks and saving that all changes of schedules share. */
import { type Access, sameUser } from '../policy/access.ts'
import { AppError } from '../protocol/errors.ts'
import type { Asker } from '../protocol/schedule.ts'
import { findSchedule, updateSchedule } from '../store/repositories/schedules.ts'
import type { ScheduleProposalRow, ScheduleRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import type { ScheduleDeps } from './deps.ts'
import { parseFields } from './fields.ts'
import { nextTime } from './fire-plan.ts'
import { mayChange, maySee } from './rights.ts'
import { parseSpec } from './spec.ts'

/** Fields of a change; commands without approval are an administrator's word. */
export function checkedFields(
  deps: ScheduleDeps,
  fields: Readonly<Record<string, unknown>>,
  asker: Asker,
): ReturnType<typeof parseFields> {
  const parsed = parseFields(fields)
  if ((parsed.preapproved?.length ?? 0) > 0 && !deps.access.isAdmin(asker.user)) {
    throw new AppError('schedule.admin_only', 'only administrators may name commands that need no approval', {
      hint: 'Leave preapproved out, or let an administrator add it.',
    })
  }
  return parsed
}

/** Why the asker may no longer have what was proposed: rights may go between the proposal and the click (T7). */
export function refusalToSave(
  access: Pick<Access, 'mayOperate' | 'isAdmin'>,
  proposal: Pick<ScheduleProposalRow, 'action' | 'schedule_id' | 'spec'>,
  known: ScheduleRow | undefined,
  asker: Asker,
): AppError | undefined {
  if (!access.mayOperate(asker.user, asker.address))
    return new AppError('schedule.operate', `${asker.user} has lost the right to operate`)
  if (access.isAdmin(asker.user)) return undefined
  if (known && !sameUser(asker.user, known.creator))
    return new AppError('schedule.not_yours', `${asker.user} may not change it`, { params: { id: known.id } })
  if (proposal.action === 'delete') return undefined
  const commandsOf = (spec: string | undefined): string =>
    JSON.stringify(spec === undefined ? [] : parseSpec(spec).preapproved)
  const wanted = commandsOf(proposal.spec)
  if (wanted === '[]' || wanted === commandsOf(known?.spec)) return undefined
  return new AppError('schedule.admin_only', 'only administrators may name commands that need no approval')
}

/** Saves a changed schedule; what is paused stays paused. */
export async function saveChange(db: Db, deps: ScheduleDeps, row: ScheduleRow, json: string): Promise<void> {
  const spec = parseSpec(json)
  const now = deps.clock.now()
  const next = nextTime(deps.times, spec, row.id, now, null)
  const times =
    row.state === 'paused' ? { next_slot: null, next_due: null, next_at: null, last_slot: null } : next
  await updateSchedule(db, row.id, {
    spec: json,
    bot_id: spec.to.botId,
    chat_id: spec.to.chatId,
    updated_at: now,
    ...times,
  })
}

/** The row, if the asker may change it. */
export async function changeable(deps: ScheduleDeps, id: string, asker: Asker): Promise<ScheduleRow> {
  const row = await findSchedule(deps.store.db, id)
  if (!row || !maySee(deps.access, row, asker)) throw notFound(id)
  if (mayChange(deps.access, row, asker)) return row
  throw new AppError('schedule.not_yours', `only the creator or an administrator may change ${id}`, {
    hint: 'Ask the creator or an administrator.',
    params: { id },
  })
}

/** Throws unless the schedule was made in chat: those of the configuration are changed in the file. */
export function requireInChat(row: ScheduleRow): void {
  if (row.source === 'chat') return
  throw new AppError('schedule.in_file', `schedule ${row.id} is in the configuration`, {
    hint: 'Change it in yizhan.yaml and restart; it can be paused here.',
    params: { id: row.id },
  })
}

/** The error for a schedule that does not exist or that the asker may not see. */
export function notFound(id: string): AppError {
  return new AppError('schedule.not_found', `there is no schedule "${id}"`, {
    hint: 'cron_list and /schedule show the ids.',
    params: { id },
  })
}
