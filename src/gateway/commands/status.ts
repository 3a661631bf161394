import { waitingMessages } from '../../store/repositories/inbox.ts'
import { openRun, recentRuns } from '../../store/repositories/runs.ts'
import type { Command } from './command.ts'

/** What this session is doing, what it waits for, what the last run cost. */
export const status: Command = async ({ deps, event, session, text }) => {
  const { db } = deps.store
  const [run, waiting, pending, recent, muted] = await Promise.all([
    openRun(db, session.id),
    waitingMessages(db, session.id),
    deps.approvals.pendingFor(session.id),
    recentRuns(db, session.id, 5),
    deps.approvals.mutedUntil(event.address),
  ])
  const seconds = run ? Math.round((deps.clock.now() - run.started_at) / 1_000) : 0
  const last = recent.find((row) => row.ended_at !== null)
  const lines = [
    run
      ? text(`command.status_${run.state === 'suspended' ? 'suspended' : 'running'}`, { seconds })
      : text('command.status_idle'),
    text('command.status_model', { model: session.model ?? deps.models.defaultName }),
    ...(waiting.length > 0 ? [text('command.status_waiting', { count: waiting.length })] : []),
    ...pending.map((row) =>
      text('command.status_approval', {
        code: row.code,
        minutes: Math.max(0, Math.ceil((row.expires_at - deps.clock.now()) / 60_000)),
      }),
    ),
    ...(muted > deps.clock.now()
      ? [text('command.status_muted', { minutes: Math.ceil((muted - deps.clock.now()) / 60_000) })]
      : []),
    ...(last
      ? [
          text('command.status_last', {
            outcome: text(`live.phase.${last.state}`),
            steps: last.steps,
            input: last.input_tokens,
            output: last.output_tokens,
            cost: last.cost === null ? '—' : `${last.cost.toFixed(4)} ${last.currency ?? ''}`,
          }),
        ]
      : []),
  ]
  return { markdown: lines.map((line) => `- ${line}`).join('\n') }
}
