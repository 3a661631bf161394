/** What is special about a scheduled run: fewer tools, approvals without anybody present, notes under the answer. */
import { clipText } from '../protocol/clip-text.ts'
import type { GateDecision } from '../protocol/engine.ts'
import { askLater, isScheduleSession, type ScheduledPlan, type ScheduledRuns } from '../protocol/schedule.ts'
import type { BoundCall, ToolContext } from '../protocol/tool.ts'
import { findSlot, scheduleOfSession, slotOfRun } from '../store/repositories/schedule-slots.ts'
import { findSchedule } from '../store/repositories/schedules.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import type { Runner } from './runner.ts'
import { addNote, noteLines } from './slot-notes.ts'
import { isRobot, parseAuthority, parseSpec, type ScheduleSpec } from './spec.ts'
import { openingTime } from './working-hours.ts'

/** Tools that a scheduled run never gets: it must not create, change or delete schedules. */
const NEVER = new Set(['cron_manage'])
const DELIVER_MS = 3_600_000

/** What worker and gate ask about sessions of schedules. */
export function createScheduledRuns(deps: ScheduleDeps, runner: Runner): ScheduledRuns {
  const { db } = deps.store
  const advance = async (sessionId: string): Promise<void> => {
    if (!isScheduleSession(sessionId)) return
    const id = await scheduleOfSession(db, sessionId)
    if (id !== undefined) await runner.advance(id)
  }
  const read = async (
    sessionId: string,
    runId: string,
  ): Promise<{ row: ScheduleRow; slot: ScheduleSlotRow } | undefined> => {
    const slot = await slotOfRun(db, sessionId, runId)
    const row = slot && (await findSchedule(db, slot.schedule_id))
    return slot && row && { row, slot }
  }
  return {
    runEnded: advance,
    mailClosed: advance,
    planOf: async (sessionId, runId) => {
      if (!isScheduleSession(sessionId)) return undefined
      const found = await read(sessionId, runId)
      return found ? planFor(deps, found.row, found.slot) : NOTHING_ALLOWED
    },
    unattended: async (bound, ctx) => {
      if (!isScheduleSession(ctx.sessionId)) return undefined
      const found = await read(ctx.sessionId, ctx.runId)
      if (!found || found.slot.kind === 'preview') return undefined
      return unattended(deps, parseSpec(found.row.spec), found.slot, bound, ctx)
    },
  }
}

/** The schedule was deleted while it ran. */
const NOTHING_ALLOWED: ScheduledPlan = {
  mayUse: () => false,
  deliverWithinMs: DELIVER_MS,
  notes: async () => [],
}

function planFor(deps: ScheduleDeps, row: ScheduleRow, slot: ScheduleSlotRow): ScheduledPlan {
  const spec = parseSpec(row.spec)
  const { tools } = parseAuthority(row.authority)
  return {
    mayUse: (tool) => !NEVER.has(tool) && (tools === null || tools.includes(tool)),
    deliverWithinMs: spec.deliverWithinMs,
    notes: async () => {
      const current = await findSlot(deps.store.db, slot.schedule_id, slot.slot)
      return noteLines(current?.notes ?? '[]', deps.text(spec.to.botId))
    },
  }
}

async function unattended(
  deps: ScheduleDeps,
  spec: ScheduleSpec,
  slot: ScheduleSlotRow,
  bound: BoundCall,
  ctx: ToolContext,
): Promise<GateDecision | undefined> {
  const now = deps.clock.now()
  if (isPreapproved(deps, spec, bound, ctx, now)) return { effect: 'allow' }
  if (spec.approvals === 'wait' && !isRobot(spec.to)) {
    const opening = openingTime(spec, deps, now)
    return opening > now ? { effect: 'ask', approvalId: askLater(opening) } : undefined
  }
  const what = bound.command ?? bound.tool
  await addNote(deps.store.db, slot, { code: 'approval_skipped', params: { what: shorten(what) } })
  return {
    effect: 'deny',
    reason: ctx.text('schedule.gate.skip'),
    hint: ctx.text('schedule.gate.skip.hint'),
  }
}

/**
 * The exact command, in the workspace itself, as a command of its own and with nothing added to its
 * environment, until the end of the named day: all that an administrator saw when it was named.
 */
function isPreapproved(
  deps: ScheduleDeps,
  spec: ScheduleSpec,
  bound: BoundCall,
  ctx: ToolContext,
  now: number,
): boolean {
  if (bound.command === undefined || Object.keys(bound.env ?? {}).length > 0) return false
  if (bound.keystrokes === true || (bound.cwd ?? ctx.workspace) !== ctx.workspace) return false
  const today = deps.local.local(now, spec.timezone).slice(0, 10)
  return spec.preapproved.some((one) => one.command === bound.command && today <= one.until)
}

const WHAT_CHARS = 80

function shorten(what: string): string {
  return clipText(what.replace(/\s+/g, ' ').replaceAll('`', "'"), WHAT_CHARS)
}
