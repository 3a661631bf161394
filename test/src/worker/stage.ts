/** A worker over a real store and outbox; the engine is what a test makes it. */
import { afterEach } from 'vitest'
import { createOutbox } from '../../../src/outbound/outbox.ts'
import type { UserKey } from '../../../src/protocol/address.ts'
import type { AgentEvent, EngineDeps } from '../../../src/protocol/engine.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { SessionView } from '../../../src/protocol/session-log.ts'
import { createInput } from '../../../src/session/input.ts'
import { insertInbox } from '../../../src/store/repositories/inbox.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import type { WorkerDeps } from '../../../src/worker/deps.ts'
import { createSpending } from '../../../src/worker/spending.ts'
import { createWorker, type Worker } from '../../../src/worker/worker.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'
import { group, messageEvent, person, session } from '../gateway/stage.ts'

export type Run = (view: SessionView, deps: EngineDeps, signal: AbortSignal) => AsyncIterable<AgentEvent>

export { session }

export const ended = (text: string): AgentEvent => ({ type: 'ended', outcome: 'done', text })

/** Reads what waits and answers with its words. */
export const echo: Run = async function* (view) {
  const input = await view.takeInput()
  const words = input?.entry.type === 'user' ? input.entry.messages.map(({ text }) => text) : []
  yield ended(`heard: ${words.join(', ')}`)
}

/** Works until it is told to stop. */
export const untilStopped: Run = async function* (view, _deps, signal) {
  await view.takeInput()
  yield { type: 'turn', step: 1 }
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  yield { type: 'ended', outcome: 'stopped', text: '' }
}

/** Breaks in the middle of a step. */
export const breaks: Run = async function* () {
  yield { type: 'turn', step: 1 }
  throw new Error('broken')
}

export interface WorkerStage {
  readonly worker: Worker
  readonly store: Awaited<ReturnType<typeof openTestStore>>
  readonly clock: ManualClock
  readonly adapter: RecordingAdapter
  readonly lines: CollectedLine[]
  readonly woken: string[]
  /** Approvals that were taken back: session, by whom, run. */
  readonly takenBack: string[]
  /** What the next runs do; the last one goes on for ever. */
  readonly script: Run[]
  say(text: string, user?: UserKey): Promise<void>
  /** Lets the worker do everything it has to do now, and its words leave. */
  work(): Promise<void>
  close(): Promise<void>
}

/** `platform` and `clock`: those of another process that works, or has worked, on the same data. */
export async function openWorker(
  script: Run[] = [echo],
  dataDir?: string,
  shared: { readonly platform?: RecordingAdapter; readonly clock?: ManualClock } = {},
): Promise<WorkerStage> {
  const store = await openTestStore(dataDir)
  const clock = shared.clock ?? createManualClock()
  const random = createSeededRandom()
  const logger = createCollectingLogger()
  const adapter = shared.platform ?? createRecordingAdapter()
  const woken: string[] = []
  const takenBack: string[] = []
  const text = (): ((key: string) => string) => (key) => key
  const outbox = createOutbox({
    ...{ store, clock, random, logger },
    adapter: () => adapter,
    onClosed: async () => {},
  })
  const input = createInput({
    ...{ store, clock, random, logger, text, dataDir: store.dataDir, maxFileBytes: 1_000 },
    adapter: () => adapter,
  })
  const deps = {
    ...{ owner: 'w1', store, outbox, input, clock, random, logger, text, dataDir: store.dataDir },
    queue: { wake: async (id: string) => void woken.push(id) },
    approvals: {
      pendingFor: async () => [],
      byId: async () => undefined,
      cancelSession: async (id: string, by: string, only?: { runId: string }) => {
        takenBack.push(`${id} ${by} ${only?.runId}`)
        return []
      },
    },
    access: { mayOperate: () => true, approversFor: () => [] },
    engine: {
      run: (...call: Parameters<Run>) => {
        const run = script.length > 1 ? script.shift() : script[0]
        if (!run) throw new Error('the script is empty')
        return run(...call)
      },
    },
    models: { defaultName: 'main', get: () => ({}) },
    adapter: () => adapter,
    tools: () => [],
    gate: () => ({}),
    schedules: { planOf: async () => undefined },
    systemPrompt: () => '',
    localeOf: () => 'zh-CN',
    budget: { maxSteps: 10, maxTokens: 1_000, maxMs: 60_000 },
    spending: createSpending({
      ...{ store, clock, limits: {}, isShared: false },
      dayOf: (at) => ({ from: at - (at % 86_400_000), to: at - (at % 86_400_000) + 86_400_000 }),
    }),
    watchdog: { modelMs: 180_000, toolMs: 600_000, runMs: 3_600_000 },
    onToolEnded: () => {},
    onRunEnded: () => {},
    reason: (code: string) => new AppError(code, code),
  } as unknown as WorkerDeps
  const worker = createWorker(deps)
  return {
    ...{ worker, store, clock, adapter, lines: logger.lines, woken, takenBack, script },
    say: async (words, user = 'feishu:ou_1') => {
      await ensureSession(store.db, group, clock.now())
      const event = messageEvent({ text: words, mentionsBot: true, sender: person(user) })
      await insertInbox(store.db, [
        {
          dedupe: `ops:m:${event.messageId}`,
          sessionId: session,
          botId: 'ops',
          kind: 'message',
          state: 'waiting',
          payload: JSON.stringify(event),
          receivedAt: clock.now(),
        },
      ])
    },
    work: async () => {
      await worker.handle(session)
      await clock.advance(0)
    },
    close: async () => {
      await outbox.stop()
      await store.close()
    },
  }
}

/** For a file of tests: opens stages, and closes the last one behind each test. */
export function workerStages(): typeof openWorker {
  let stage: WorkerStage
  afterEach(() => stage.close())
  return async (script, dataDir) => {
    stage = await openWorker(script, dataDir)
    return stage
  }
}
