/** Builds the schedule room: gives it the outbox, the queue, the worker's interrupt and file snapshots. */
import type { Audit } from '../observability/audit.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { People } from '../people.ts'
import type { Access } from '../policy/access.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import type { Reports } from '../protocol/report.ts'
import type { Asker, ScheduleDesk, ScheduledRuns } from '../protocol/schedule.ts'
import type { Queue } from '../queue/queue.ts'
import { createCalendar } from '../schedule/calendar.ts'
import { loadSchedules } from '../schedule/configured-schedules.ts'
import type { ScheduleDeps } from '../schedule/deps.ts'
import { createScheduleDesk } from '../schedule/desk.ts'
import { knownBots } from '../schedule/destination.ts'
import { createLocalTimes } from '../schedule/local-time.ts'
import { createProposals, type Proposals } from '../schedule/proposals.ts'
import { createRunner } from '../schedule/runner.ts'
import { createScheduler } from '../schedule/scheduler.ts'
import { createTimes } from '../schedule/times.ts'
import { createScheduledRuns } from '../schedule/unattended-runs.ts'
import { findRun } from '../store/repositories/runs.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import { createScheduleTools } from '../tools/schedule/index.ts'
import { onShelf } from '../tools/shelves.ts'
import { snapshotReport } from '../worker/snapshot.ts'
import { withReportFaults, withSlotFaults, withSlotWakeFaults } from './faults.ts'
import type { HouseOptions } from './house.ts'

export interface SchedulesParts {
  readonly options: HouseOptions
  readonly audit: Audit
  readonly access: Access
  readonly outbox: Outbox
  readonly queue: Queue
  readonly reports: Reports | undefined
  readonly interrupt: (sessionId: string) => void
  readonly people: People
  /** Names of the tools that a person has in a chat. */
  readonly toolsOf: (user: UserKey, address: Address) => readonly string[]
}

export interface HouseSchedules {
  readonly runs: ScheduledRuns
  readonly desk: ScheduleDesk
  /** Clicks on cards of proposals. */
  readonly handleAction: Proposals['handleAction']
  /** A person in a chat, with the tools that he has there. */
  asker(person: {
    user: UserKey
    name: string | undefined
    address: Address
    replyTo?: string | undefined
  }): Promise<Asker>
  /** `cron_list` and `cron_manage`. */
  readonly source: ToolSource
  /** Reads the configuration's schedules and starts the timer; rejects on a schedule that is wrong. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The schedule room; its timer starts with `start`. */
export function buildSchedules(parts: SchedulesParts): HouseSchedules {
  const { options } = parts
  const { config, store, clock, random, logger, bots } = options
  const calendar = createCalendar(config.calendar.file)
  const local = createLocalTimes()
  const deps: ScheduleDeps = {
    ...parts,
    ...{ store, clock, random, logger, calendar, local },
    queue: withSlotWakeFaults(parts.queue, options.faults),
    reports: parts.reports && withReportFaults(parts.reports, options.faults),
    bots: knownBots(config.bots),
    adapter: bots.adapter,
    text: bots.text,
    localeOf: bots.localeOf,
    admins: config.access.admins as UserKey[],
    times: createTimes(local, calendar),
    timezone: config.calendar.timezone,
    snapshot: (sessionId, file, kind) => snapshotReport(options.dataDir, sessionId, { file, kind }, random),
  }
  const runner = withSlotFaults(createRunner(deps), store.db, options.faults)
  const scheduler = createScheduler(deps, runner)
  const proposals = createProposals(deps, scheduler.poke)
  const desk = createScheduleDesk(deps, { runner, proposals, poke: scheduler.poke })
  const asker: HouseSchedules['asker'] = async ({ user, name, address, replyTo }) => {
    const known = name ?? (await parts.people.names([user]))[user]
    return {
      user,
      address,
      tools: parts.toolsOf(user, address),
      ...(known === undefined ? {} : { name: known }),
      ...(replyTo === undefined ? {} : { replyTo }),
    }
  }
  const timed = createScheduleTools({
    desk,
    asker: async (ctx) => {
      const replyTo = (await findRun(store.db, ctx.runId))?.reply_to ?? undefined
      return asker({ user: ctx.requester, name: undefined, address: ctx.address, replyTo })
    },
  })
  const tools = onShelf('schedules', timed)
  return {
    runs: createScheduledRuns(deps, runner),
    desk,
    asker,
    handleAction: proposals.handleAction,
    source: { tools: () => tools },
    start: async () => {
      await loadSchedules(deps, config.schedules, options.loaded)
      await scheduler.start()
    },
    stop: scheduler.stop,
  }
}
