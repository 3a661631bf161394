/** Start and stop, in order: what takes events starts before what works on them, and stops before it. */
import type { Approvals } from '../approval/approvals.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { ToolCalls } from '../observability/tool-calls.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { People } from '../people.ts'
import type { UserKey } from '../protocol/address.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'
import type { Queue } from '../queue/queue.ts'
import type { Input } from '../session/input.ts'
import type { Presence } from '../store/presence.ts'
import { COMMAND_MS, type Sweeper } from '../worker/sweeper.ts'
import type { Worker } from '../worker/worker.ts'
import { withReceiveFaults } from './faults.ts'
import type { House, HouseOptions } from './house.ts'
import type { HouseMcp } from './mcp.ts'
import type { HouseReports } from './reports.ts'
import type { HouseSchedules } from './schedules.ts'
import { closeStaleSessions } from './stale-sessions.ts'
import type { ToolModule } from './tool-module.ts'
import { watchUnheardBots } from './unheard-bots.ts'
import type { HouseWorkbench } from './workbench.ts'
import type { Workstation } from './workstation.ts'

interface LifecycleParts {
  readonly options: HouseOptions
  readonly presence: Presence
  readonly approvals: Approvals
  readonly gateway: Gateway
  readonly outbox: Outbox
  readonly queue: Queue
  readonly sweeper: Sweeper
  readonly worker: Worker
  readonly input: Input
  readonly people: People
  readonly schedules: HouseSchedules
  readonly workbench: HouseWorkbench
  readonly reports: HouseReports
  readonly mcp: HouseMcp
  readonly workstation: Workstation
  readonly toolCalls: ToolCalls
  readonly modules: readonly ToolModule[]
  /** People of the configuration, whose names cards will need. */
  readonly known: readonly string[]
}

/** What a stop may take beyond the time of running work: runs that are cut short leave, their last words go out. */
const AFTER_WORK_MS = 4_000
/** Whatever came before it, each step has this long; most need a moment. */
const LEAST_MS = 250
/** How long words on their way out are waited for, when the work has left that much. */
const LAST_MAIL_MS = 15_000

/** Start and stop over parts that exist already. */
export function createLifecycle(parts: LifecycleParts): Pick<House, 'start' | 'stop'> {
  const { presence, gateway, outbox, queue, sweeper, worker, input, people } = parts
  const { bots, clock, logger, faults } = parts.options
  const receive = withReceiveFaults(gateway.receive, faults)
  let endSilenceWatch = (): void => {}
  return {
    start: async (concurrency) => {
      await presence.start()
      if (parts.options.simulated)
        await closeStaleSessions({ store: parts.options.store, approvals: parts.approvals })
      // A schedule that is wrong stops the start before anybody is connected.
      await parts.schedules.start()
      await Promise.all(
        bots.all().map((adapter) =>
          adapter.start(receive).catch((error: unknown) => {
            // One bot with a wrong secret must not silence the others; readiness and doctor say it.
            logger.error({ bot: adapter.botId, error }, 'a bot could not be started')
            parts.options.onBotFailed?.(adapter.botId, error)
          }),
        ),
      )
      await parts.workbench.workbench.start()
      await parts.mcp.servers.start()
      await Promise.all(parts.modules.map((module) => module.start()))
      await outbox.start()
      // Another process may still be working on a command that it took a moment ago.
      await gateway.recover((await presence.others()).length > 0 ? COMMAND_MS : 0)
      // With a concurrency of 0 events are only stored; processes with the role `all` work on them.
      const consumer = queue.consume(worker.handle, concurrency)
      await sweeper.sweep()
      sweeper.start()
      endSilenceWatch = watchUnheardBots(parts.options)
      people
        .learn(parts.known as UserKey[])
        .catch((error: unknown) => logger.warn({ error }, 'names could not be fetched; cards show ids'))
      return consumer
    },
    stop: async (consumer, graceMs) => {
      sweeper.stop()
      endSilenceWatch()
      const end = clock.monotonic() + graceMs + AFTER_WORK_MS
      const left = (): number => Math.max(LEAST_MS, end - clock.monotonic())
      const within = async (what: string, step: Promise<unknown>): Promise<void> => {
        if ((await withTimeout(step, { ms: left(), clock })) !== TIMED_OUT) return
        logger.warn({ step: what }, 'the stop waits no longer for this; the next start takes it up')
      }
      await within('schedules', parts.schedules.stop())
      // Adapters stop last, because runs still send. Events that arrive meanwhile are stored.
      const cancel = clock.after(graceMs, () => worker.stop())
      await within('runs', consumer.drain())
      cancel()
      await within('commands', parts.workstation.jobs.close())
      await within('programs', Promise.all(parts.modules.map((module) => module.stop())))
      await within('terminals', parts.workbench.workbench.stop())
      await within('events', gateway.drain())
      await within('files', input.drain())
      await outbox.stop(Math.min(LAST_MAIL_MS, left()))
      await presence.stop()
      await within('bots', Promise.all(bots.all().map((adapter) => adapter.stop())))
      await within('wake-ups', queue.close())
      await parts.toolCalls.flush()
      await within('MCP servers', parts.mcp.servers.stop())
      await within('reports', parts.reports.close())
    },
  }
}
