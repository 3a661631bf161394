/** Schedules in words: when, where, what, and the next times. For lists, cards and answers. */

import type { Address } from '../protocol/address.ts'
import { clipText } from '../protocol/clip-text.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ScheduleLine } from '../protocol/schedule.ts'
import { chatName } from '../store/repositories/chats.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { isRobot, NOBODY, parseAuthority, parseSpec, type ScheduleSpec } from './spec.ts'

const PROMPT_CHARS = 200
/** How long before an unknown year begins it is said that its holidays are missing. */
const AHEAD_MS = 60 * 86_400_000

/** When a schedule runs, in words. */
export function whenWords(
  deps: Pick<ScheduleDeps, 'times' | 'local' | 'calendar' | 'clock'>,
  spec: Pick<ScheduleSpec, 'cron' | 'at' | 'timezone' | 'calendar'>,
  text: Translate,
): string {
  const when =
    spec.cron === undefined
      ? text('schedule.once', { at: (spec.at ?? '').replace('T', ' '), zone: spec.timezone })
      : text('schedule.cron', { cron: spec.cron, zone: spec.timezone })
  if (spec.calendar === 'all') return when
  const now = deps.clock.now()
  const dates = [deps.times.next(spec, now)?.at ?? now, now + AHEAD_MS].map((at) =>
    deps.local.local(at, spec.timezone),
  )
  const unknown = dates.find((date) => !deps.calendar.knows(date))
  return unknown === undefined
    ? text('schedule.workdays', { when })
    : text('schedule.workdays_unknown', { when, year: unknown.slice(0, 4) })
}

/** `2026-12-01 09:00`, as the zone's clocks show it. */
export function timeWords(deps: ScheduleDeps, at: number, timezone: string): string {
  return deps.local.local(at, timezone).replace('T', ' ')
}

/** A slot as people call it: its time, or that somebody ran it by hand. */
export function slotWords(
  deps: ScheduleDeps,
  slot: Pick<ScheduleSlotRow, 'kind' | 'due_at'>,
  timezone: string,
  text: Translate,
): string {
  const when = timeWords(deps, slot.due_at, timezone)
  return slot.kind === 'manual' ? text('schedule.manual', { when }) : when
}

/** The next times, in the schedule's zone; a word for none. */
export function nextWords(deps: ScheduleDeps, spec: ScheduleSpec, count: number, text: Translate): string[] {
  const times = deps.times.upcoming(spec, deps.clock.now(), count)
  if (times.length === 0) return [text('schedule.times_none')]
  return times.map(({ at }) => timeWords(deps, at, spec.timezone))
}

/** Where its result goes, in words. */
export async function toWords(
  deps: ScheduleDeps,
  to: Address,
  here: Address | undefined,
  text: Translate,
): Promise<string> {
  if (here && here.botId === to.botId && here.chatId === to.chatId) return text('schedule.to.here')
  if (isRobot(to)) return text('schedule.to.robot', { name: to.chatId.slice('robot:'.length), bot: to.botId })
  const name = (await chatName(deps.store.db, to.botId, to.chatId)) ?? to.chatId
  return text('schedule.to.chat', { name, bot: to.botId })
}

/** Who created it, in words. */
export function creatorWords(row: Pick<ScheduleRow, 'creator' | 'authority'>, text: Translate): string {
  if (row.creator === NOBODY) return text('schedule.configured')
  return parseAuthority(row.authority).name ?? row.creator
}

/** A schedule as one entry of a list. */
export async function lineOf(
  deps: ScheduleDeps,
  row: ScheduleRow,
  here: Address,
  text: Translate,
): Promise<ScheduleLine> {
  const spec = parseSpec(row.spec)
  const state = row.state === 'deleted' ? 'done' : row.state
  const what =
    spec.report === undefined
      ? text('schedule.line.prompt', { prompt: cut(spec.prompt ?? '', PROMPT_CHARS) })
      : text('schedule.line.report', { report: spec.report })
  const lines = [
    text('schedule.line.when', { when: whenWords(deps, spec, text) }),
    text('schedule.line.to', { to: await toWords(deps, spec.to, here, text) }),
    what,
    text('schedule.line.creator', { who: creatorWords(row, text) }),
    ...(state === 'active'
      ? [text('schedule.line.next', { times: nextWords(deps, spec, 3, text).join(' · ') })]
      : []),
    ...(state === 'paused' ? [text('schedule.line.reason', { why: reasonWords(row, spec, text) })] : []),
  ]
  return { id: row.id, name: spec.name, state, lines }
}

/** Which rules hold, in one line. */
export function policyWords(spec: ScheduleSpec, text: Translate): string {
  return [
    text(`schedule.policy.missed.${spec.missed}`),
    text(`schedule.policy.overlap.${spec.overlap}`),
    text(`schedule.policy.approvals.${spec.approvals}`, { hours: spec.hours }),
    ...(spec.jitterMs > 0
      ? [text('schedule.policy.jitter', { seconds: Math.round(spec.jitterMs / 1_000) })]
      : []),
  ].join(text('approval.card.separator'))
}

function reasonWords(row: ScheduleRow, spec: ScheduleSpec, text: Translate): string {
  const params = { chat: spec.to.chatId, who: creatorWords(row, text) }
  if (row.reason === 'person') return text('schedule.reason.person')
  if (row.reason === 'schedule.broken') return text('schedule.reason.broken')
  try {
    return text(`error.${row.reason}`, params)
  } catch {
    return text('schedule.reason.other', { code: row.reason ?? '' })
  }
}

function cut(words: string, most: number): string {
  return clipText(words.replace(/\s+/g, ' '), most)
}
