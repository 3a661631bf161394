/** The loop: open calls first, then waiting messages, then the model, until it calls nothing. */
import { isAppError } from '../../protocol/errors.ts'
import type { ToolError } from '../../protocol/tool.ts'
import { openCalls } from '../../session/projection.ts'
import { runCalls } from './batch.ts'
import { compactIfNearlyFull, compactOnRequest } from './context-limit.ts'
import { type Ending, endFailed, endText } from './ending.ts'
import type { Run } from './run.ts'
import { takeTurn } from './turn.ts'

const MAX_INVALID = 3

/** Runs until the session waits or is done, and emits `suspended` or `ended` last. */
export async function runLoop(run: Run): Promise<void> {
  const ending = await work(run).catch((error: unknown) => {
    if (run.signal.aborted && !isAppError(error, 'session.lease_lost')) return undefined
    return endFailed(run, error)
  })
  if (ending === 'suspended') return
  // Only an abort leaves the work without an ending; an answer that was complete before it stays one.
  const last = ending ?? stopEnding(run)
  if (last.note !== undefined) {
    await closeCalls(run, { type: 'stopped', message: last.note, hint: '' })
    await keepPartial(run)
    await run.session.append({ type: 'note', text: last.note })
  }
  const { outcome, text, reason } = last
  await run.emit({ type: 'ended', outcome, text, ...(reason === undefined ? {} : { reason }) })
}

async function work(run: Run): Promise<Ending | 'suspended' | undefined> {
  if (run.deps.compactFirst === true) await compactOnRequest(run)
  for (;;) {
    if (run.signal.aborted) return undefined
    const open = openCalls(run.session.entries())
    if (open.length > 0) {
      if (run.meter.loops()) return endText(run, 'loop', { tool: open[0]?.call.name ?? '' })
      const outcome = await runCalls(run, open)
      if (outcome === 'suspended') return 'suspended'
      if (run.signal.aborted) return undefined
      if (run.meter.invalid(outcome === 'invalid') >= MAX_INVALID) return endText(run, 'invalid')
    }
    const input = await run.session.takeInput()
    const answered = input ? undefined : finishedText(run)
    if (answered !== undefined) return { outcome: 'done', text: answered }
    const limit = run.meter.exceeded(run.deps.budget)
    if (limit) return endText(run, limit)
    const day = run.deps.budget.usedUp?.()
    if (day) return endText(run, day.name, { tokens: day.tokens })
    await compactIfNearlyFull(run)
    const turn = await takeTurn(run)
    if (turn.type === 'final') return turn.ending
    if (turn.type === 'empty' && run.meter.invalid(true) >= MAX_INVALID) return endText(run, 'invalid')
  }
}

/**
 * The answer when a crash came between its log entry and the end of the run; nothing when the run's
 * message was taken back before it was read, since nobody waits for an answer then.
 */
function finishedText(run: Run): string | undefined {
  const entries = run.session.entries()
  const last = entries.findLast(
    ({ entry }) => entry.type === 'user' || entry.type === 'note' || entry.type === 'assistant',
  )
  if (last === undefined) return ''
  const { entry, runId } = last
  const hasBegun = entry.type === 'user' || entries.some((one) => one.runId === run.session.runId)
  if (!hasBegun) return ''
  if (entry.type !== 'assistant' || entry.toolCalls.length > 0 || runId !== run.session.runId)
    return undefined
  return entry.text
}

function stopEnding(run: Run): Ending {
  if (run.timedOut()) return endText(run, 'time')
  if (run.paused()) return { outcome: 'stopped', text: run.deps.text('engine.stopped') }
  const text = run.deps.text('engine.stopped')
  return {
    outcome: 'stopped',
    text: run.partial.trim() ? `${run.partial}\n\n${text}` : text,
    note: `This run was ended: ${run.stopReason()}. Do not go on with it unless asked to.`,
  }
}

/** Appends the part of a stopped answer that people have already seen. */
async function keepPartial(run: Run): Promise<void> {
  const text = run.partial.toWellFormed()
  if (text.trim() === '' || !run.signal.aborted) return
  const model = run.deps.model.name
  await run.session.append({ type: 'assistant', text, toolCalls: [], model })
}

/** Gives every call that is still open a result, so that the history stays legal. */
async function closeCalls(run: Run, error: ToolError): Promise<void> {
  for (const { call, started } of openCalls(run.session.entries())) {
    const text = started ? `${error.message} The call had started; it may have had an effect.` : error.message
    const entry = { callId: call.id, tool: call.name, ok: false, text, error, ms: 0 } as const
    await run.session.append({ type: 'result', ...entry })
  }
}
