/** A report's slot: rendered without a model, then text, pictures and files into the outbox, in order. */
import { createHash } from 'node:crypto'
import { splitMarkdown } from '../outbound/split.ts'
import { type Address, chatKey, type UserKey } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { OutboundFile, OutboundMessage } from '../protocol/outbound.ts'
import type { RenderedReport } from '../protocol/report.ts'
import { moveSlot } from '../store/repositories/schedule-slots.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { noteLines } from './slot-notes.ts'
import { RENDER_MS } from './slot-start.ts'
import { parseSpec } from './spec.ts'

/** Waits between tries when a source is only away, milliseconds. */
const RETRY_AFTER_MS = [5_000, 30_000]

/** Renders and queues. Rejects with what went wrong when all tries failed; nothing is sent then. */
export async function renderSlot(deps: ScheduleDeps, row: ScheduleRow, slot: ScheduleSlotRow): Promise<void> {
  const spec = parseSpec(row.spec)
  const address = JSON.parse(slot.address) as Address
  const adapter = deps.adapter(address.botId)
  if (!adapter) throw new AppError('schedule.bot', `bot ${address.botId} is not configured`)
  const rendered = await render(deps, row, slot, address)
  const markdown = [rendered.markdown, ...noteLines(slot.notes, deps.text(address.botId))].join('\n\n')
  const messages: OutboundMessage[] = splitMarkdown(markdown, adapter.capabilities).map((part) => ({
    type: 'markdown',
    markdown: part,
  }))
  const files = [
    ...rendered.images.map((file) => ({ file, kind: 'image' as OutboundFile['kind'] })),
    ...rendered.files.map((file) => ({ file, kind: 'file' as OutboundFile['kind'] })),
  ]
  for (const { file, kind } of files)
    messages.push({ type: 'file', file: await deps.snapshot(slot.session_id, file, kind) })
  const key = createHash('sha256').update(`${slot.schedule_id}\n${slot.slot}`).digest('hex').slice(0, 32)
  await deps.store.transaction(async (trx) => {
    if (!(await moveSlot(trx, slot, ['running'], { state: 'sending', claimed_until: 0 }))) return
    for (const [index, message] of messages.entries()) {
      await deps.outbox.put(trx, {
        key: `r-${key}-${index}`,
        address,
        sessionId: slot.session_id,
        ref: `report:${slot.run_id}`,
        priority: 'high',
        deadlineMs: spec.deliverWithinMs,
        payload: { message },
      })
    }
  })
  deps.outbox.flush(chatKey(address))
}

async function render(
  deps: ScheduleDeps,
  row: ScheduleRow,
  slot: ScheduleSlotRow,
  address: Address,
): Promise<RenderedReport> {
  const spec = parseSpec(row.spec)
  const { reports } = deps
  if (!reports || spec.report === undefined)
    throw new AppError('schedule.report', `there is no report "${spec.report}"`)
  for (let tries = 0; ; tries++) {
    try {
      const signal = AbortSignal.timeout(RENDER_MS)
      const work = reports.render(spec.report, spec.params, {
        at: slot.due_at,
        timezone: spec.timezone,
        address,
        requester: row.creator as UserKey,
        locale: deps.localeOf(address.botId),
        text: deps.text(address.botId),
        clock: deps.clock,
        logger: deps.logger.child({ schedule: row.id, slot: slot.slot }),
        signal,
      })
      return await Promise.race([work, rejectedBy(signal)])
    } catch (error) {
      const wait = RETRY_AFTER_MS[tries]
      if (!isAppError(error) || !error.retryable || wait === undefined) throw error
      await deps.clock.sleep(wait)
    }
  }
}

/** Rejects when the signal aborts, so that a source which ignores the signal cannot occupy a renderer for ever. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const error = new AppError('schedule.report_slow', 'the report took longer than five minutes', {
      hint: 'Narrow the query, or give the report a smaller period.',
    })
    signal.addEventListener('abort', () => reject(error), { once: true })
  })
}
