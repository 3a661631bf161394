/** Loads the schedules of the configuration: the file defines them, the database keeps their state and next time. */
import type { Config } from '../config/schema.ts'
import type { UserKey } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import {
  findSchedule,
  saveSchedule,
  schedulesOfSource,
  updateSchedule,
} from '../store/repositories/schedules.ts'
import type { ScheduleRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { nextTime } from './fire-plan.ts'
import { type Authority, NOBODY, type ScheduleSpec } from './spec.ts'
import { checkSchedule } from './validation.ts'

/**
 * Brings the rows in line with the file. A schedule that did not change keeps its next time, so that
 * what came due while the service was down is not forgotten, and stays paused if somebody paused it.
 * Rejects with the error of the first schedule that is wrong, naming its place.
 */
export async function loadSchedules(deps: ScheduleDeps, configured: Config['schedules']): Promise<void> {
  const { db } = deps.store
  for (const [index, one] of configured.entries()) {
    const { id, owner, ...fields } = one
    const known = await findSchedule(db, id)
    const before = known?.source === 'config' ? known : undefined
    if (known && !before) {
      throw new AppError(
        'schedule.id_taken',
        `schedules[${index}]: a schedule made in chat has the id "${id}"`,
        {
          hint: 'Choose another id.',
        },
      )
    }
    try {
      const spec = await checkSchedule(db, deps, fields, undefined, undefined)
      await save(deps, id, spec, (owner ?? NOBODY) as UserKey, before)
    } catch (error) {
      await handle(deps, error, { index, id, before })
    }
  }
  const ids = new Set(configured.map((one) => one.id))
  for (const row of await schedulesOfSource(db, 'config')) if (!ids.has(row.id)) await remove(deps, row)
}

/** A one-off that is over, or a chat that is gone, is no reason not to start; everything else is. */
async function handle(
  deps: ScheduleDeps,
  error: unknown,
  place: { index: number; id: string; before: ScheduleRow | undefined },
): Promise<void> {
  if (!isAppError(error)) throw error
  const { index, id, before } = place
  if (error.code === 'schedule.past' || error.code === 'schedule.chat_gone') {
    deps.logger.warn({ schedule: id, why: error.message }, 'a configured schedule does not run')
    if (before && before.state === 'active' && error.code === 'schedule.chat_gone')
      await stopAt(deps, before, 'paused', error.code)
    return
  }
  throw new AppError(error.code, `schedules[${index}] (${id}): ${error.message}`, {
    hint: error.hint,
    params: error.params,
    cause: error,
  })
}

async function save(
  deps: ScheduleDeps,
  id: string,
  spec: ScheduleSpec,
  creator: UserKey,
  before: ScheduleRow | undefined,
): Promise<void> {
  const now = deps.clock.now()
  const json = JSON.stringify(spec)
  if (before?.spec === json && before.creator === creator) return
  const authority: Authority = {
    mayOperate: creator !== NOBODY && deps.access.mayOperate(creator, spec.to),
    tools: null,
  }
  await saveSchedule(deps.store.db, {
    id,
    source: 'config',
    reason: null,
    spec: json,
    bot_id: spec.to.botId,
    chat_id: spec.to.chatId,
    creator,
    authority: JSON.stringify(authority),
    ...nextTime(deps.times, spec, id, now, null),
    created_at: before?.created_at ?? now,
    updated_at: now,
  })
}

async function remove(deps: ScheduleDeps, row: ScheduleRow): Promise<void> {
  await stopAt(deps, row, 'deleted', 'file')
}

async function stopAt(
  deps: ScheduleDeps,
  row: ScheduleRow,
  state: 'paused' | 'deleted',
  reason: string,
): Promise<void> {
  const none = { next_slot: null, next_due: null, next_at: null }
  await updateSchedule(deps.store.db, row.id, { state, reason, ...none, updated_at: deps.clock.now() })
}
