/** One run: the engine over the log, its events into the live message, its end into the outbox. */

import { createLive, createQuietLive, type Live } from '../outbound/live.ts'
import { maySteer } from '../policy/access.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { UserKey } from '../protocol/address.ts'
import type { AgentEvent, DayLimit } from '../protocol/engine.ts'
import { isAppError } from '../protocol/errors.ts'
import type { Todo } from '../protocol/outbound.ts'
import { isScheduleSession, type ScheduledPlan } from '../protocol/schedule.ts'
import { withTimeout } from '../protocol/timeout.ts'
import type { AnyTool } from '../protocol/tool.ts'
import { isTaskSession } from '../protocol/workbench.ts'
import type { Lease } from '../session/lease.ts'
import { openView, type WritableView } from '../session/view.ts'
import { prepareFolders } from '../session/workspace.ts'
import { clearCrashes, setLive } from '../store/repositories/runs.ts'
import type { RunRow } from '../store/schema.ts'
import { endOnAbort } from './abortable-events.ts'
import type { WorkerDeps } from './deps.ts'
import { addressOf, finishRun } from './ending.ts'
import type { Pauses } from './pauses.ts'
import { repaintDecided, resumption, suspendRun, waitingTime } from './suspension.ts'
import { toolContext } from './tool-context.ts'
import { createWatchdog } from './watchdog.ts'
import { createWorkIndicator, type WorkIndicator } from './work-indicator.ts'

export type RunStep = 'ended' | 'suspended' | 'interrupted'

export interface RunDeps extends WorkerDeps {
  /** Aborts when the service stops. The lease's signal does not tell this apart from a person's /stop. */
  readonly leaving: AbortSignal
  readonly pauses: Pauses
}

/** How long a stop of the service waits for the platform to remove the indicator, milliseconds. */
const LAST_INDICATOR_MS = 1_000

/** Executes a run until it ends, waits for a person, or this worker has to leave it. */
export async function executeRun(deps: RunDeps, lease: Lease, run: RunRow): Promise<RunStep> {
  const adapter = deps.adapter(lease.session.bot_id)
  if (!adapter) {
    deps.logger.error(
      { sessionId: run.session_id, botId: lease.session.bot_id },
      'no such bot is configured; the run waits for it',
    )
    return 'interrupted'
  }
  const settled = deps.settleTools?.()
  const view = await openRunView(deps, lease, run)
  const plan = await deps.schedules.planOf(run.session_id, run.id)
  const live = await openLive(deps, lease, adapter, run, view)
  const indicator = createWorkIndicator(adapter, view.address, run.reply_to)
  const watchdog = createWatchdog(deps.clock, deps.watchdog, (error) => lease.abort(error))
  const parts: RunParts = { adapter, view, live, watchdog, plan, indicator, settled, asked: false }
  try {
    return await followEngine(deps, lease, run, parts)
  } catch (error) {
    return await failedRun(deps, lease, run, parts, error)
  } finally {
    watchdog.stop()
    await live.settle()
    await withTimeout(indicator.remove(), { ms: LAST_INDICATOR_MS, clock: deps.clock, after: deps.leaving })
  }
}

interface RunParts {
  readonly adapter: Adapter
  readonly view: WritableView
  readonly live: Live
  readonly watchdog: ReturnType<typeof createWatchdog>
  readonly plan: ScheduledPlan | undefined
  readonly indicator: WorkIndicator
  /** Resolves when the tools of MCP servers that are still connecting are known or were waited for; never rejects. */
  readonly settled: Promise<void> | undefined
  /** Becomes true when the model is asked. */
  asked: boolean
}

async function followEngine(deps: WorkerDeps, lease: Lease, run: RunRow, parts: RunParts): Promise<RunStep> {
  const { live, watchdog, indicator } = parts
  await parts.settled
  const usedUp = await deps.spending.of(parts.view.address)
  const events = deps.engine.run(parts.view, engineDeps(deps, lease, run, parts, usedUp), lease.signal)
  const abandoned = (): AgentEvent => {
    deps.logger.error(
      { runId: run.id, sessionId: run.session_id },
      'an engine ignored its abort and is abandoned',
    )
    return { type: 'ended', outcome: 'stopped', text: deps.text(lease.session.bot_id)('engine.stopped') }
  }
  for await (const event of endOnAbort(events, lease.signal, deps.clock, abandoned)) {
    watchdog.saw(event)
    indicator.show()
    live.show(event)
    parts.asked ||= event.type === 'turn'
    if (event.type === 'tool_ended') deps.onToolEnded(live.toolOf(event.callId), event.status, event.ms)
    if (event.type === 'usage') await deps.spending.add(parts.view.address, run.id, event)
    if (event.type === 'suspended') {
      await live.settle()
      await suspendRun(deps, lease, run, live, event.approvalId)
      return 'suspended'
    }
    if (event.type === 'ended') return endOf(deps, lease, run, live, event)
  }
  throw new Error('the engine stopped without a last event')
}

async function endOf(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  live: Live,
  event: Extract<AgentEvent, { type: 'ended' }>,
): Promise<RunStep> {
  await live.settle()
  const cut = lease.signal.reason
  // A stop of the service is no end of the run: it goes on after the start, from the log.
  if (event.outcome === 'stopped' && isAppError(cut, 'worker.stopping')) {
    // Nor is it a crash: three upgrades within one long run must not have it given up.
    await clearCrashes(deps.store.db, run.id)
    return 'interrupted'
  }
  if (event.outcome === 'stopped' && (isAppError(cut, 'run.stuck') || isAppError(cut, 'run.too_long'))) {
    const text = deps.text(lease.session.bot_id)(cut.code, cut.params)
    const failed = {
      ...live.state(),
      phase: 'failed' as const,
      label: deps.text(lease.session.bot_id)('live.phase.failed'),
      text,
    }
    await finishRun(deps, lease, run, { outcome: 'failed', reason: cut.code, live: failed })
    return 'ended'
  }
  await finishRun(deps, lease, run, { outcome: event.outcome, reason: event.reason, live: live.state() })
  return 'ended'
}

async function failedRun(
  deps: RunDeps,
  lease: Lease,
  run: RunRow,
  { live, asked }: Pick<RunParts, 'live' | 'asked'>,
  error: unknown,
): Promise<RunStep> {
  await live.settle()
  if (isAppError(error, 'session.lease_lost')) {
    deps.logger.warn({ runId: run.id }, 'another worker took this session over')
    return 'interrupted'
  }
  // What the disk refuses now it may take later: the run stays open and the sweeper comes back to it.
  if (isAppError(error) && error.retryable && error.code.startsWith('store.')) {
    // Waiting for room is no crash: a disk that stays full for long must not have the run given up.
    await clearCrashes(deps.store.db, run.id).catch(() => undefined)
    deps.pauses.refused(run.session_id, asked)
    throw error
  }
  deps.logger.error(
    { runId: run.id, sessionId: run.session_id, error },
    'a run failed by a fault of the service',
  )
  const text = deps.text(lease.session.bot_id)
  const state = {
    ...live.state(),
    phase: 'failed' as const,
    label: text('live.phase.failed'),
    text: text('run.fault', { id: run.id.slice(0, 8) }),
  }
  await finishRun(deps, lease, run, { outcome: 'failed', reason: 'fault', live: state })
  return 'ended'
}

function openRunView(deps: WorkerDeps, lease: Lease, run: RunRow): Promise<WritableView> {
  const { session } = lease
  const address = addressOf(session)
  const requester = run.requester as UserKey
  return openView({
    store: deps.store,
    input: deps.input,
    clock: deps.clock,
    writer: { sessionId: session.id, epoch: session.epoch, runId: run.id, fence: lease.fence },
    address,
    requester,
    workspace: prepareFolders(deps.dataDir, session.id).workspace,
    maySteer: (user, people) => maySteer(deps.access, user, people, address),
    waited: (entries) => waitingTime(deps, run, entries),
    ...(deps.conversations ? { conversations: deps.conversations } : {}),
    ...(deps.recollect ? { recollect: deps.recollect(session.id) } : {}),
  })
}

async function openLive(
  deps: RunDeps,
  lease: Lease,
  adapter: Adapter,
  run: RunRow,
  view: WritableView,
): Promise<Live> {
  const model = deps.models.get(run.model ?? deps.models.defaultName, view.address.botId)
  if (isScheduleSession(run.session_id) || isTaskSession(run.session_id)) {
    await repaintDecided(deps, adapter, run, view.entries())
    return createQuietLive(deps.text(view.address.botId), model.disclosure)
  }
  const resumed = await resumption(deps, adapter, run, view.entries())
  if (resumed.handle) await setLive(deps.store.db, run.id, resumed.handle)
  return createLive({
    runId: run.id,
    address: view.address,
    replyTo: run.reply_to ?? undefined,
    adapter,
    clock: deps.clock,
    logger: deps.logger,
    text: deps.text(view.address.botId),
    footer: model.disclosure,
    ...resumed,
    isOurs: lease.isHeld,
    leaving: deps.leaving,
    save: (handle) => setLive(deps.store.db, run.id, handle),
  })
}

/** The tools of the person's rights now; for a run of a schedule, only those of its creation. */
function offered(deps: WorkerDeps, { adapter, view, plan }: RunParts): readonly AnyTool[] {
  const tools = deps.tools({
    botId: adapter.botId,
    platform: adapter.platform,
    mayOperate: deps.access.mayOperate(view.requester, view.address),
  })
  return plan ? tools.filter((tool) => plan.mayUse(tool.name)) : tools
}

function engineDeps(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  parts: RunParts,
  usedUp: () => DayLimit | undefined,
): Parameters<WorkerDeps['engine']['run']>[1] {
  const { adapter, view, live } = parts
  const folders = prepareFolders(deps.dataDir, run.session_id)
  const setTodos = (todos: readonly Todo[]): void => live.show({ type: 'todos', todos })
  return {
    model: deps.models.get(run.model ?? deps.models.defaultName, view.address.botId),
    tools: offered(deps, parts),
    gate: deps.gate(view),
    toolContext: (callId) => toolContext(deps, lease, run, { adapter, folders, view, setTodos }, callId),
    system: deps.systemPrompt(view.address, adapter.platform, deps.localeOf(view.address.botId)),
    ...(deps.discipline ? { discipline: deps.discipline } : {}),
    budget: { ...deps.budget, usedUp },
    compactFirst: lease.session.compact_requested !== 0,
    text: deps.text(view.address.botId),
    clock: deps.clock,
    random: deps.random,
    logger: deps.logger.child({ runId: run.id }),
  }
}
