/** Loads the schedules of the configuration: the file defines them, the database keeps their state and next time. */
import type { LoadedConfig } from '../config/load.ts'
import { ConfigError, type ConfigProblem } from '../config/problem.ts'
import type { Config } from '../config/schema.ts'
import type { UserKey } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import {
  findSchedule,
  saveSchedule,
  schedulesOfSource,
  updateSchedule,
} from '../store/repositories/schedules.ts'
import type { ScheduleRow } from '../store/schema.ts'
import { isMistake, scheduleProblem } from './configured-problem.ts'
import type { ScheduleDeps } from './deps.ts'
import { nextTime } from './fire-plan.ts'
import { type Authority, NOBODY, type ScheduleSpec } from './spec.ts'
import { checkSchedule } from './validation.ts'

type Configured = Config['schedules'][number]

/** Where the schedules are written; without it problems name no line. */
export type WrittenAt = Pick<LoadedConfig, 'file' | 'lineOf'>

/**
 * Brings the rows in line with the file. A schedule that did not change keeps its next time, so that
 * what came due while the service was down is not forgotten, and stays paused if somebody paused it.
 * Rejects with a {@link ConfigError} of all schedules that are wrong; then nothing new is saved.
 */
export async function loadSchedules(
  deps: ScheduleDeps,
  configured: Config['schedules'],
  writtenAt?: WrittenAt,
): Promise<void> {
  const { db } = deps.store
  const problems: ConfigProblem[] = []
  const checked: { one: Configured; spec: ScheduleSpec; before: ScheduleRow | undefined }[] = []
  for (const [index, one] of configured.entries()) {
    const known = await findSchedule(db, one.id)
    const before = known?.source === 'config' ? known : undefined
    try {
      if (known && !before) throw idTaken(one.id)
      const { id: _id, owner: _owner, ...fields } = one
      checked.push({ one, spec: await checkSchedule(db, deps, fields, undefined, undefined), before })
    } catch (error) {
      if (!isMistake(error)) throw error
      if (isOver(error)) await letRest(deps, error, one.id, before)
      else problems.push(scheduleProblem(error, { id: one.id, index }, writtenAt?.lineOf))
    }
  }
  if (problems.length > 0) throw new ConfigError(writtenAt?.file ?? 'yizhan.yaml', problems)
  for (const { one, spec, before } of checked)
    await save(deps, one.id, spec, (one.owner ?? NOBODY) as UserKey, before)
  const ids = new Set(configured.map((one) => one.id))
  for (const row of await schedulesOfSource(db, 'config')) if (!ids.has(row.id)) await remove(deps, row)
}

function idTaken(id: string): AppError {
  return new AppError('schedule.id_taken', `a schedule made in chat has the id "${id}"`, {
    hint: 'Choose another id.',
  })
}

/** A one-off that is over, or a chat that is gone, is no reason not to start; everything else is. */
function isOver({ code }: AppError): boolean {
  return code === 'schedule.past' || code === 'schedule.chat_gone'
}

async function letRest(
  deps: ScheduleDeps,
  error: AppError,
  id: string,
  before: ScheduleRow | undefined,
): Promise<void> {
  deps.logger.warn({ schedule: id, why: error.message }, 'a configured schedule does not run')
  if (before && before.state === 'active' && error.code === 'schedule.chat_gone')
    await stopAt(deps, before, 'paused', error.code)
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
