import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Approvals, createApprovals } from '../../../src/approval/approvals.ts'
import { type Config, configSchema } from '../../../src/config/schema.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createAudit } from '../../../src/observability/audit.ts'
import { createAccess } from '../../../src/policy/access.ts'
import type { Address } from '../../../src/protocol/address.ts'
import { sessionKey } from '../../../src/protocol/address.ts'
import type { RunOutcome } from '../../../src/protocol/session-log.ts'
import { type Caller, taskSession } from '../../../src/protocol/workbench.ts'
import { createSandbox, type ProgramSandbox } from '../../../src/sandbox/index.ts'
import { alone, type Presence } from '../../../src/store/presence.ts'
import { closeInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { insertOutbox } from '../../../src/store/repositories/outbox.ts'
import { endRun, insertRun } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { createSettings, type Settings } from '../../../src/workbench/settings/settings.ts'
import { createWorkbench, type Workbench } from '../../../src/workbench/workbench.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { openTestStore } from '../../support/store.ts'

export const ADMIN = 'feishu:ou_admin'
export const MEMBER = 'feishu:ou_member'
const CHAT_A: Address = { botId: 'ops', chatId: 'oc_a', chatType: 'group' }
const CHAT_B: Address = { botId: 'ops', chatId: 'oc_b', chatType: 'group' }

export interface WorkbenchBench {
  readonly workbench: Workbench
  readonly settings: Settings
  readonly approvals: Approvals
  readonly store: Store & { dataDir: string }
  readonly clock: ManualClock
  readonly config: Config
  /** Sessions that were woken, and those whose run was interrupted. */
  readonly woken: string[]
  readonly interrupted: string[]
  /** A member in chat A, a member in chat B. */
  readonly a: Caller
  readonly b: Caller
  workspaceId(caller?: Caller): Promise<string>
  /** Makes a folder in A's workspace. */
  folder(name: string): Promise<void>
  /** The caller that the agent of a task is. */
  agentOf(taskId: string): Caller
  /** The worker takes the task's message and begins its run; returns the run's id. */
  beginRun(taskId: string): Promise<string>
  endRun(taskId: string, runId: string, outcome: RunOutcome, reason?: string): Promise<void>
  /** The same database and folder in a process that starts after this one died. */
  reborn(): Promise<WorkbenchBench>
  close(): Promise<void>
}

interface Options {
  readonly config?: object
  readonly sandbox?: ProgramSandbox
  readonly dataDir?: string
  readonly owner?: string
  readonly presence?: Pick<Presence, 'others'>
  readonly alsoSees?: (sessionId: string) => readonly Pick<Address, 'botId' | 'chatId'>[]
}

/** A workbench on a real store with real policy and approvals; runs are played by the test. */
export async function openWorkbench(options: Options = {}): Promise<WorkbenchBench> {
  const store = await openTestStore(options.dataDir)
  const clock = createManualClock()
  const random = createSeededRandom(options.owner)
  const logger = createCollectingLogger()
  const config = configSchema.parse({
    access: { admins: [ADMIN] },
    workbench: { terminal: true, task: true, settings: true },
    ...options.config,
  })
  const audit = createAudit({ db: store.db, clock })
  const access = createAccess(config)
  const approvals = createApprovals({
    ...{ store, clock, random, logger, audit, access },
    limits: { expiresMs: 60_000, maxPendingPerChat: 5 },
    onSettled: async () => {},
  })
  const settings = createSettings({ store, clock, audit, config })
  const woken: string[] = []
  const interrupted: string[] = []
  const sandbox = options.sandbox ?? (await createSandbox({ ...config.sandbox, kind: 'none' }, { logger }))
  const workbench = createWorkbench({
    presence: options.presence ?? alone(),
    ...{ store, clock, random, logger, audit, access, approvals, settings, sandbox },
    outbox: { put: (db, row) => insertOutbox(db, row, clock.now()), flush: () => {} },
    queue: { wake: async (id) => void woken.push(id) },
    config: config.workbench,
    network: config.sandbox.network,
    dataDir: store.dataDir,
    owner: options.owner ?? 'process-1',
    text: () => createTranslate('zh-CN'),
    interrupt: (id) => void interrupted.push(id),
    alsoSees: options.alsoSees ?? (() => []),
  })
  for (const chat of [CHAT_A, CHAT_B]) await ensureSession(store.db, chat, clock.now())
  const a: Caller = { sessionId: sessionKey(CHAT_A), user: MEMBER, address: CHAT_A }
  const b: Caller = { sessionId: sessionKey(CHAT_B), user: MEMBER, address: CHAT_B }
  const sessionOf = (taskId: string): string => taskSession(taskId, a.sessionId)
  const close = async (): Promise<void> => {
    await workbench.stop()
    await sandbox.close()
    await store.close()
  }
  const workspaceId = async (caller: Caller = a): Promise<string> =>
    (await workbench.workspaces.visible(caller))[0]?.id ?? ''
  return {
    ...{ workbench, settings, approvals, store, clock, config, woken, interrupted, a, b, close, workspaceId },
    folder: async (name) => {
      const own = await workbench.workspaces.find(a, await workspaceId())
      mkdirSync(join(own.folder, name), { recursive: true })
    },
    agentOf: (taskId) => ({ ...a, sessionId: sessionOf(taskId) }),
    beginRun: async (taskId) => {
      const [message] = await waitingMessages(store.db, sessionOf(taskId))
      if (!message) throw new Error('no message waits for the worker')
      const { scheduled } = JSON.parse(message.payload) as { scheduled: { runId: string } }
      const run = { id: scheduled.runId, sessionId: sessionOf(taskId), requester: MEMBER }
      await insertRun(store.db, { ...run, replyTo: undefined, model: 'demo' }, clock.now())
      await closeInbox(store.db, [message.id], 'taken')
      return scheduled.runId
    },
    endRun: async (taskId, runId, outcome, reason) => {
      await endRun(store.db, runId, outcome, reason, clock.now())
      await workbench.runEnded(sessionOf(taskId))
    },
    reborn: async () => {
      await sandbox.close()
      await store.close()
      return openWorkbench({ ...options, dataDir: store.dataDir, owner: 'process-2' })
    },
  }
}
