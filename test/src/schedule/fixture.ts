/** The schedule room over a real store and a real outbox, on a clock that stands still; runs are played. */
import { configSchema } from '../../../src/config/schema.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createAudit } from '../../../src/observability/audit.ts'
import { createOutbox, type Outbox } from '../../../src/outbound/outbox.ts'
import { createAccess } from '../../../src/policy/access.ts'
import type { Adapter } from '../../../src/protocol/adapter.ts'
import { type Address, chatKey, type UserKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import type { OutboundMessage } from '../../../src/protocol/outbound.ts'
import type { Reports } from '../../../src/protocol/report.ts'
import { type Asker, isScheduleSession } from '../../../src/protocol/schedule.ts'
import { createCalendar } from '../../../src/schedule/calendar.ts'
import { loadSchedules, type WrittenAt } from '../../../src/schedule/configured-schedules.ts'
import type { ScheduleDeps } from '../../../src/schedule/deps.ts'
import { createScheduleDesk } from '../../../src/schedule/desk.ts'
import { createLocalTimes } from '../../../src/schedule/local-time.ts'
import { createProposals } from '../../../src/schedule/proposals.ts'
import { createRunner } from '../../../src/schedule/runner.ts'
import { createScheduler } from '../../../src/schedule/scheduler.ts'
import { createTimes } from '../../../src/schedule/times.ts'
import { createScheduledRuns } from '../../../src/schedule/unattended-runs.ts'
import { closeInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { endRun, insertRun } from '../../../src/store/repositories/runs.ts'
import { recentSlots } from '../../../src/store/repositories/schedule-slots.ts'
import type { ScheduleSlotRow } from '../../../src/store/schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { settle } from '../../support/settle.ts'
import { openTestStore } from '../../support/store.ts'

export const ADMIN: UserKey = 'feishu:ou_admin'
export const CREATOR: UserKey = 'feishu:ou_li'
export const GROUP: Address = { botId: 'ops', chatId: 'oc_group', chatType: 'group' }

export interface Sent {
  readonly at: number
  readonly chatId: string
  readonly message: OutboundMessage
}

/** A sent message as it was changed. */
export interface Repainted {
  readonly messageId: string
  readonly message: OutboundMessage
}

export interface RoomOptions {
  readonly start?: number
  readonly store?: Store
  readonly clock?: ManualClock
  readonly seed?: string
  readonly longestWaitMs?: number
  readonly config?: Record<string, unknown>
  readonly reports?: Reports
  /** Wraps a send: throws what the platform answers. */
  readonly onSend?: (chatId: string, message: OutboundMessage) => void | Promise<void>
}

export type Room = Awaited<ReturnType<typeof openRoom>>

export async function openRoom(options: RoomOptions = {}) {
  const clock = options.clock ?? createManualClock(options.start ?? Date.parse('2026-12-01T08:00:00+08:00'))
  const store = options.store ?? (await openTestStore())
  const random = createSeededRandom(options.seed)
  const logger = createCollectingLogger()
  const config = configSchema.parse({ access: { admins: [ADMIN] }, ...options.config })
  const sent: Sent[] = []
  const woken: string[] = []
  const interrupted: string[] = []
  const repainted: Repainted[] = []
  const adapter = recordingAdapter(clock, sent, repainted, options.onSend)
  const audit = createAudit({ db: store.db, clock })
  const outbox: Outbox = createOutbox({
    ...{ store, clock, random, logger },
    adapter: () => adapter,
    onClosed: async (row) => {
      if (row.session_id !== null) await runs.mailClosed(row.session_id)
    },
  })
  const calendar = createCalendar()
  const local = createLocalTimes()
  const deps: ScheduleDeps = {
    ...{ store, clock, random, logger, audit, outbox, calendar, local },
    access: createAccess(config),
    queue: {
      wake: async (sessionId) => void woken.push(sessionId),
      consume: () => ({ drain: async () => {} }),
      close: async () => {},
    },
    bots: { ids: ['ops'], robots: () => ['finance'] },
    adapter: () => adapter,
    text: () => createTranslate('zh-CN'),
    localeOf: () => 'zh-CN',
    admins: [ADMIN],
    times: createTimes(local, calendar),
    timezone: 'Asia/Shanghai',
    reports: options.reports,
    interrupt: (sessionId) => void interrupted.push(sessionId),
    snapshot: async (_session, file, kind) => ({
      path: `/snapshots/${file.name}`,
      name: file.name,
      bytes: 'bytes' in file ? file.bytes.length : 0,
      sha256: '',
      kind,
    }),
  }
  const runner = createRunner(deps)
  const scheduler = createScheduler(deps, runner, options.longestWaitMs)
  const proposals = createProposals(deps, scheduler.poke)
  const desk = createScheduleDesk(deps, { runner, proposals, poke: scheduler.poke })
  const runs = createScheduledRuns(deps, runner)
  /** Plays the worker: the session's waiting message becomes a run. */
  const begin = async (sessionId: string): Promise<string> => {
    const [row] = await waitingMessages(store.db, sessionId)
    const event = JSON.parse(row?.payload ?? 'null') as MessageEvent | null
    if (!row || !event?.scheduled) throw new Error(`nothing waits in ${sessionId}`)
    const run = { id: event.scheduled.runId, sessionId, requester: event.sender.user, model: 'demo' }
    await insertRun(store.db, { ...run, replyTo: undefined }, clock.now())
    await closeInbox(store.db, [row.id], 'taken')
    return run.id
  }
  const end = async (sessionId: string, runId: string, outcome: 'done' | 'failed' | 'stopped' = 'done') => {
    const plan = await runs.planOf(sessionId, runId)
    const notes = (await plan?.notes()) ?? []
    await store.transaction(async (trx) => {
      await endRun(trx, runId, outcome, outcome === 'failed' ? 'model.unavailable' : undefined, clock.now())
      const markdown = [`answer of ${runId.slice(0, 4)}`, ...notes].join('\n')
      const slot = await trx
        .selectFrom('schedule_slots')
        .select('address')
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow()
      const address = JSON.parse(slot.address) as Address
      await outbox.put(trx, {
        key: `f-${runId}-0`,
        address,
        sessionId,
        ref: `final:${runId}`,
        priority: 'high',
        deadlineMs: plan?.deliverWithinMs ?? 60_000,
        payload: { message: { type: 'markdown', markdown } },
      })
      outboxChats.add(chatKey(address))
    })
    for (const chat of outboxChats) outbox.flush(chat)
    await runs.runEnded(sessionId)
    await settle()
  }
  const outboxChats = new Set<string>()
  return {
    ...{
      clock,
      store,
      deps,
      runner,
      scheduler,
      desk,
      proposals,
      runs,
      sent,
      repainted,
      woken,
      interrupted,
      logger,
    },
    begin,
    end,
    /** Plays every run that waits, each to its end. */
    playAll: async (outcome?: 'done' | 'failed' | 'stopped') => {
      for (const sessionId of woken.splice(0))
        if (isScheduleSession(sessionId)) await end(sessionId, await begin(sessionId), outcome)
    },
    load: (schedules: readonly object[], writtenAt?: WrittenAt) =>
      loadSchedules(deps, configSchema.parse({ schedules }).schedules, writtenAt),
    slots: async (id: string): Promise<ScheduleSlotRow[]> =>
      (await recentSlots(store.db, id, 100)).toReversed(),
  }
}

export function asker(user: UserKey = CREATOR, address: Address = GROUP): Asker {
  return { user, name: '李四', address, tools: ['read_file', 'shell', 'cron_manage'] }
}

/** A schedule of the configuration, every working day at nine. */
export function daily(more: object = {}): object {
  return {
    id: 'daily',
    cron: '0 9 * * *',
    to: { bot: 'ops', chat: 'oc_group' },
    prompt: '昨天的销售额',
    owner: CREATOR,
    ...more,
  }
}

function recordingAdapter(
  clock: ManualClock,
  sent: Sent[],
  repainted: Repainted[],
  onSend: RoomOptions['onSend'],
): Adapter {
  const refuse = (): never => {
    throw new AppError('test.unexpected', 'no test needs this')
  }
  return {
    botId: 'ops',
    platform: 'feishu',
    capabilities: {
      markdownBytes: 20_000,
      textBytes: 20_000,
      cardCodeBytes: 10_000,
      tablesPerMessage: 5,
      fileBytes: 1_000_000,
      imageBytes: 1_000_000,
      liveIntervalMs: 100,
      liveWindowMs: 1_000_000,
      cardsUpdatable: true,
      continueInCard: true,
      idempotentSendMs: 3_600_000,
    },
    start: async () => {},
    send: async (to, message) => {
      await onSend?.(to.chatId, message)
      sent.push({ at: clock.now(), chatId: to.chatId, message })
      return { messageId: `om_${sent.length}`, handle: {} }
    },
    update: async ({ messageId }, _to, message) => {
      repainted.push({ messageId, message })
      return { messageId, handle: {} }
    },
    hydrate: refuse,
    download: refuse,
    indicate: refuse,
    status: () => ({ state: 'connected', detail: '', since: 0 }),
    diagnose: async () => [],
    stop: async () => {},
  }
}
