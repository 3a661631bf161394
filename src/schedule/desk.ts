/** The desk: shows schedules to those who may see them, and changes them for those who may. */
import type { Address } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import { type Asker, previewSession, type ScheduleAction, type ScheduleDesk } from '../protocol/schedule.ts'
import { findSlot, insertSlot, openSlots } from '../store/repositories/schedule-slots.ts'
import { findSchedule, listSchedules, updateSchedule } from '../store/repositories/schedules.ts'
import type { ScheduleRow } from '../store/schema.ts'
import { changeable, checkedFields, notFound, requireInChat, saveChange } from './change.ts'
import type { ScheduleDeps } from './deps.ts'
import { lineOf, nextWords, toWords } from './description.ts'
import { nextTime } from './fire-plan.ts'
import { historyText } from './history.ts'
import type { Proposals } from './proposals.ts'
import { maySee } from './rights.ts'
import { pause, type Runner } from './runner.ts'
import { newSlot } from './slot-claim.ts'
import { parseSpec } from './spec.ts'
import { checkSchedule } from './validation.ts'

const MOST_LISTED = 50
const NEXT_SHOWN = 5

export interface DeskParts {
  readonly runner: Runner
  readonly proposals: Proposals
  /** Something changed: the timer may have to go off earlier. */
  readonly poke: () => void
}

/** The desk for commands and tools. */
export function createScheduleDesk(deps: ScheduleDeps, parts: DeskParts): ScheduleDesk {
  const { db } = deps.store
  return {
    propose: parts.proposals.propose,
    decideWaiting: async (decision, event, scheduleId) =>
      (await parts.proposals.decideWaiting(decision, event, scheduleId)).toast?.text ?? '',
    list: async (asker) => {
      const { botId, chatId } = asker.address
      const filter = deps.access.isAdmin(asker.user) ? {} : { chat: { botId, chatId }, creator: asker.user }
      const rows = await listSchedules(db, filter, MOST_LISTED)
      const text = deps.text(botId)
      return Promise.all(rows.map((row) => lineOf(deps, row, asker.address, text)))
    },
    act: async (deed, id, asker, once) => {
      const row = await changeable(deps, id, asker)
      const answer = await DEEDS[deed](deps, parts, { row, asker, once })
      await note(deps, asker, `schedule.${deed}`, id)
      parts.poke()
      return answer
    },
    edit: async (id, fields, asker) => {
      const row = await changeable(deps, id, asker)
      requireInChat(row)
      const spec = await checkSchedule(db, deps, checkedFields(deps, fields, asker), parseSpec(row.spec), {
        ...asker,
        isAdmin: deps.access.isAdmin(asker.user),
      })
      await saveChange(db, deps, row, JSON.stringify(spec))
      await note(deps, asker, 'schedule.edit', id)
      parts.poke()
      const text = deps.text(asker.address.botId)
      const saved = await lineOf(deps, (await findSchedule(db, id)) ?? row, asker.address, text)
      return text('schedule.done.edit', { id, lines: saved.lines.map((line) => `- ${line}`).join('\n') })
    },
    history: async (id, asker) => {
      const row = await findSchedule(db, id)
      if (!row || !maySee(deps.access, row, asker)) throw notFound(id)
      return historyText(deps, row, deps.text(asker.address.botId))
    },
  }
}

interface Deed {
  readonly row: ScheduleRow
  readonly asker: Asker
  readonly once: string
}

const DEEDS: Readonly<
  Record<ScheduleAction, (deps: ScheduleDeps, parts: DeskParts, deed: Deed) => Promise<string>>
> = {
  pause: async (deps, _parts, { row, asker }) => {
    if (row.state === 'done') throw over(row.id)
    await pause(deps, row, 'person')
    return deps.text(asker.address.botId)('schedule.done.pause', { id: row.id })
  },
  resume: async (deps, _parts, { row, asker }) => {
    const spec = parseSpec(row.spec)
    const next = nextTime(deps.times, spec, row.id, deps.clock.now(), row.last_slot)
    if (next.state === 'done') throw over(row.id)
    const text = deps.text(asker.address.botId)
    if (row.state !== 'active') await updateSchedule(deps.store.db, row.id, { ...next, reason: null })
    const times = nextWords(deps, spec, NEXT_SHOWN, text).join(' · ')
    return text('schedule.done.resume', { id: row.id, times })
  },
  delete: async (deps, _parts, { row, asker }) => {
    requireInChat(row)
    const none = { next_slot: null, next_due: null, next_at: null, updated_at: deps.clock.now() }
    await updateSchedule(deps.store.db, row.id, { state: 'deleted', reason: 'person', ...none })
    return deps.text(asker.address.botId)('schedule.done.delete', { id: row.id })
  },
  run: async (deps, parts, { row, asker, once }) => {
    const { db } = deps.store
    const spec = parseSpec(row.spec)
    const slot = `manual:${once}`
    if (!(await findSlot(db, row.id, slot))) {
      const open = (await openSlots(db, row.id)).filter((one) => one.kind !== 'preview')
      if (open.length > 0)
        throw new AppError('schedule.busy', `${row.id} is running`, { params: { id: row.id } })
      const now = deps.clock.now()
      const planned = { slot, at: now, state: 'queued' as const, notes: [] }
      await insertSlot(db, { ...newSlot(deps, row.id, spec, planned, now), kind: 'manual' })
    }
    await parts.runner.advance(row.id)
    const text = deps.text(asker.address.botId)
    return text('schedule.done.run', { id: row.id, to: await toWords(deps, spec.to, asker.address, text) })
  },
  preview: async (deps, parts, { row, asker, once }) => {
    const spec = parseSpec(row.spec)
    const now = deps.clock.now()
    const planned = { slot: `preview:${once}`, at: now, state: 'queued' as const, notes: [] }
    const fresh = await insertSlot(deps.store.db, {
      ...newSlot(deps, row.id, spec, planned, now),
      kind: 'preview',
      session_id: previewSession(row.id, asker.address),
      address: JSON.stringify(asker.address satisfies Address),
    })
    const slot = await findSlot(deps.store.db, row.id, planned.slot)
    if (fresh && slot) await parts.runner.beginAside(row, slot)
    const text = deps.text(asker.address.botId)
    const times = nextWords(deps, spec, NEXT_SHOWN, text).join(' · ')
    return text('schedule.done.preview', { id: row.id, times })
  },
}

async function note(deps: ScheduleDeps, asker: Asker, action: string, id: string): Promise<void> {
  await deps.store.transaction((trx) =>
    deps.audit.append(trx, {
      actor: asker.user,
      action,
      subject: id,
      detail: { chat: asker.address.chatId },
    }),
  )
}

function over(id: string): AppError {
  return new AppError('schedule.over', `schedule ${id} is over`, {
    hint: 'Create a new one.',
    params: { id },
  })
}
