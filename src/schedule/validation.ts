/** Validates a whole schedule before it is saved; errors name the field and give an example. */

import type { UserKey } from '../protocol/address.ts'
import { clipText } from '../protocol/clip-text.ts'
import { AppError } from '../protocol/errors.ts'
import type { Db } from '../store/store.ts'
import type { ScheduleDeps } from './deps.ts'
import { type DestinationQuestion, resolveDestination } from './destination.ts'
import type { ScheduleFields } from './fields.ts'
import { isRobot, type ScheduleSpec } from './spec.ts'
import { parseCron, type Rule } from './times.ts'

export type CheckDeps = Pick<
  ScheduleDeps,
  'bots' | 'times' | 'local' | 'reports' | 'clock' | 'timezone' | 'text' | 'localeOf' | 'logger'
>

/** How long a report's source may take to be looked at. */
const CHECK_MS = 30_000
const DEADLINE_MS = 3_600_000
const NAME_CHARS = 30

/**
 * Makes a schedule of fields, over the one that is changed if there is one. Rejects with
 * `schedule.cron`, `.zone`, `.never`, `.past`, `.what`, `.when`, `.report` or one of the destination.
 */
export async function checkSchedule(
  db: Db,
  deps: CheckDeps,
  fields: ScheduleFields,
  base: ScheduleSpec | undefined,
  asker: DestinationQuestion['asker'],
): Promise<ScheduleSpec> {
  const to =
    fields.to ?? (base ? undefined : asker && { bot: asker.address.botId, chat: asker.address.chatId })
  const address = to ? await resolveDestination(db, deps.bots, { to, ...(asker ? { asker } : {}) }) : base?.to
  if (!address) {
    throw new AppError('schedule.where', 'the schedule has no destination', {
      hint: 'Write to: { bot: ops, chat: oc_… }, or chat: robot:<name> for a group robot.',
    })
  }
  const spec: ScheduleSpec = {
    ...policies(fields, base, deps.timezone),
    ...what(deps, fields, base),
    ...when(fields, base),
    name: fields.name ?? base?.name ?? shortName(fields),
    to: address,
  }
  checkTimes(deps, spec, deps.clock.now())
  if (asker) await checkData(deps, spec, asker.user)
  checkAsking(isRobot(spec.to), spec.approvals)
  return spec
}

/** Throws `schedule.robot_wait` when an approval would be asked for where nobody can give it. */
export function checkAsking(isToRobot: boolean, approvals: ScheduleSpec['approvals'] | undefined): void {
  if (isToRobot && approvals === 'wait') {
    throw new AppError('schedule.robot_wait', 'a group robot cannot show an approval card', {
      hint: 'Use approvals: skip, or send into a chat that the bot is a member of.',
    })
  }
}

function policies(
  fields: ScheduleFields,
  base: ScheduleSpec | undefined,
  timezone: string,
): Omit<ScheduleSpec, 'to' | 'name' | 'prompt' | 'report' | 'params' | 'cron' | 'at'> {
  return {
    timezone: fields.timezone ?? base?.timezone ?? timezone,
    calendar: fields.calendar ?? base?.calendar ?? 'all',
    jitterMs: fields.jitter ?? base?.jitterMs ?? 0,
    missed: fields.missed ?? base?.missed ?? 'once',
    overlap: fields.overlap ?? base?.overlap ?? 'forbid',
    approvals: fields.approvals ?? base?.approvals ?? 'skip',
    hours: fields.hours ?? base?.hours ?? '09:00-18:00',
    preapproved: fields.preapproved ?? base?.preapproved ?? [],
    deliverWithinMs: fields.deliverWithin ?? base?.deliverWithinMs ?? DEADLINE_MS,
  }
}

/** Throws `schedule.what` unless there is exactly one of a prompt and a report. */
export function checkOneThing({ prompt, report }: Pick<ScheduleFields, 'prompt' | 'report'>): void {
  if ((prompt === undefined) === (report === undefined)) {
    throw new AppError('schedule.what', 'a schedule needs either a prompt or a report', {
      hint: 'Write prompt: what the agent shall do each time, or report: the name of a report.',
    })
  }
}

/** Exactly one of a prompt and a report. Naming one in a change takes the other away. */
function what(
  deps: CheckDeps,
  fields: ScheduleFields,
  base: ScheduleSpec | undefined,
): Pick<ScheduleSpec, 'prompt' | 'report' | 'params'> {
  const changed = fields.prompt !== undefined || fields.report !== undefined
  const { prompt, report } = changed ? fields : (base ?? fields)
  checkOneThing({ prompt, report })
  const params = fields.params ?? (changed ? undefined : base?.params) ?? {}
  if (report === undefined) return { prompt, params: {} }
  checkReport(deps.reports?.names().map((one) => one.name) ?? [], report)
  const refused = deps.reports?.validate(report, params)
  if (refused) throw refused
  return { report, params }
}

/** Throws `schedule.report` for a report that does not exist. */
export function checkReport(known: readonly string[], report: string): void {
  if (!known.includes(report)) {
    throw new AppError('schedule.report', `there is no report "${report}"`, {
      hint: `The reports are: ${known.join(', ') || 'none'}.`,
      params: { report, known: known.join(', ') || '—' },
    })
  }
}

/** Throws `schedule.when` unless there is exactly one of cron and a time. */
export function when(
  fields: Pick<ScheduleFields, 'cron' | 'at'>,
  base?: ScheduleSpec,
): Pick<ScheduleSpec, 'cron' | 'at'> {
  const { cron, at } = fields.cron !== undefined || fields.at !== undefined ? fields : (base ?? fields)
  if ((cron === undefined) === (at === undefined)) {
    throw new AppError('schedule.when', 'a schedule needs either cron or at', {
      hint: 'Write cron: "0 9 * * 1-5", or at: 2026-12-24T09:00 for once.',
    })
  }
  return cron === undefined ? { at } : { cron }
}

/** Reads the report's data once, so that a wrong column is reported now and not when the schedule fires. */
async function checkData(deps: CheckDeps, spec: ScheduleSpec, requester: UserKey): Promise<void> {
  if (spec.report === undefined) return
  const { botId } = spec.to
  const refused = await deps.reports?.check?.(spec.report, spec.params, {
    at: deps.clock.now(),
    timezone: spec.timezone,
    address: spec.to,
    requester,
    locale: deps.localeOf(botId),
    text: deps.text(botId),
    clock: deps.clock,
    logger: deps.logger,
    signal: AbortSignal.timeout(CHECK_MS),
  })
  if (refused && !refused.retryable) throw refused
}

/** Throws `schedule.zone`, `.cron`, `.past` or `.never` for a rule that cannot fire. */
export function checkTimes(deps: Pick<CheckDeps, 'times' | 'local'>, spec: Rule, now: number): void {
  if (!deps.local.isZone(spec.timezone)) {
    throw new AppError('schedule.zone', `there is no time zone "${spec.timezone}"`, {
      hint: 'Write an IANA name such as Asia/Shanghai or America/New_York.',
      params: { zone: spec.timezone },
    })
  }
  if (spec.cron !== undefined) parseCron(spec.cron, spec.timezone)
  if (deps.times.next(spec, now)) return
  if (spec.at !== undefined) {
    throw new AppError('schedule.past', `${spec.at} (${spec.timezone}) is over`, {
      hint: 'Write a time that is still to come.',
      params: { at: spec.at, zone: spec.timezone },
    })
  }
  throw new AppError('schedule.never', `cron "${spec.cron}" never comes`, {
    hint: 'There is no such day, such as 31 February. Try "0 9 1 * *" for the first of each month.',
    params: { cron: spec.cron ?? '' },
  })
}

function shortName(fields: ScheduleFields): string {
  return clipText((fields.report ?? fields.prompt ?? '').split('\n')[0] ?? '', NAME_CHARS)
}
