/** What happened, slot by slot, as the rows prove it. */
import type { Translate } from '../protocol/ports.ts'
import { recentSlots } from '../store/repositories/schedule-slots.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { slotWords, timeWords } from './description.ts'
import { noteLines } from './slot-notes.ts'
import { parseSpec, type ScheduleSpec } from './spec.ts'

const SHOWN = 10
const IDS_SHOWN = 3

/** Markdown: slot, outcome, start and end, size, cost, message ids, why it failed. */
export async function historyText(deps: ScheduleDeps, row: ScheduleRow, text: Translate): Promise<string> {
  const spec = parseSpec(row.spec)
  const slots = await recentSlots(deps.store.db, row.id, SHOWN)
  const head = { name: spec.name, id: row.id, count: slots.length }
  if (slots.length === 0) return text('schedule.history_none', head)
  return [text('schedule.history', head), ...slots.map((slot) => slotText(deps, spec, slot, text))].join('\n')
}

function slotText(deps: ScheduleDeps, spec: ScheduleSpec, slot: ScheduleSlotRow, text: Translate): string {
  const time = (at: number): string => timeWords(deps, at, spec.timezone)
  const deliveries = JSON.parse(slot.deliveries) as string[]
  const ids = deliveries.slice(0, IDS_SHOWN).map((id) => `\`${id}\``)
  const more = deliveries.length > IDS_SHOWN ? ' …' : ''
  const details = [
    ...spanOf(slot, time, text),
    ...(deliveries.length > 0
      ? [text('schedule.history.size', { size: bytes(slot.size), count: deliveries.length })]
      : []),
    ...(slot.cost === null
      ? []
      : [text('schedule.history.cost', { cost: `${slot.cost.toFixed(4)} ${slot.currency ?? ''}`.trim() })]),
    ...(ids.length > 0 ? [text('schedule.history.ids', { ids: ids.join(' ') + more })] : []),
    ...(slot.error === null ? [] : [errorLine(slot.error)]),
    ...noteLines(slot.notes, text),
  ]
  const name = slotWords(deps, slot, spec.timezone, text)
  const line = text('schedule.history.line', { slot: name, outcome: text(`schedule.outcome.${slot.state}`) })
  return [`- ${line}`, ...details.map((detail) => `  - ${detail}`)].join('\n')
}

function spanOf(slot: ScheduleSlotRow, time: (at: number) => string, text: Translate): string[] {
  if (slot.started_at === null) return []
  if (slot.ended_at === null) return [text('schedule.history.started', { start: time(slot.started_at) })]
  const seconds = Math.max(0, Math.round((slot.ended_at - slot.started_at) / 1_000))
  return [text('schedule.history.span', { start: time(slot.started_at), end: time(slot.ended_at), seconds })]
}

/** The platform's own words, since this is the proof; the hint says what to do. */
function errorLine(json: string): string {
  const { code, message, hint } = JSON.parse(json) as { code: string; message: string; hint: string }
  return [`\`${code}\``, message, hint].filter(Boolean).join(' ')
}

function bytes(count: number): string {
  return count < 1_024 ? `${count} B` : `${(count / 1_024).toFixed(1)} KB`
}
