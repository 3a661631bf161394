/**
 * Composes the rooms between the adapters and the database: creates each once and passes it its dependencies.
 * No behaviour is decided here.
 */

import type { Bots } from '../bots.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { Mount } from '../http/application.ts'
import { createTranslate } from '../locale/index.ts'
import type { Models } from '../model/catalogue.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import type { PlaygroundMcp } from '../protocol/playground.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { REMOTE_CALLS } from '../protocol/remote-session.ts'
import type { Consumer, Queue } from '../queue/queue.ts'
import type { ProgramSandbox } from '../sandbox/index.ts'
import type { Store } from '../store/store.ts'
import type { ToolCatalogue } from '../tools/catalogue.ts'
import { workstationTools } from '../tools/workstation/index.ts'
import { type Faults, withToolFaults } from './faults.ts'
import { buildGateway } from './gateway.ts'
import { createLifecycle } from './lifecycle.ts'
import type { McpSurroundings } from './mcp.ts'
import { mcpMount } from './mcp-mount.ts'
import { buildMessaging } from './messaging.ts'
import type { HouseParts } from './parts.ts'
import { buildRemote, type Remote } from './remote.ts'
import { buildReports } from './reports.ts'
import { buildRunResources } from './run-resources.ts'
import { buildSchedules } from './schedules.ts'
import { buildSharedParts, type SharedParts } from './shared-parts.ts'
import { buildSweeper } from './sweeper.ts'
import { withTasks } from './workbench.ts'
import { buildWorker } from './worker.ts'

export interface HouseOptions {
  readonly config: Config
  /** Where it is written, for what is wrong in it. */
  readonly loaded?: Pick<LoadedConfig, 'file' | 'lineOf'>
  readonly dataDir: string
  readonly store: Store
  readonly sandbox: ProgramSandbox
  readonly bots: Bots
  /** Values that no result of a tool may show. */
  readonly secrets?: readonly string[]
  /** Wake-ups between processes; without it, of this one. */
  readonly queue?: Queue
  /** Names this process in leases and locks. */
  readonly owner: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly demoPieceMs?: number
  /** True when the bots belong to a simulated company. */
  readonly simulated?: boolean
  /** For a process beside the service: it sends nothing and serves one client in one folder. */
  readonly quiet?: { readonly sessionPrefix: string; readonly workspace: string | undefined }
  /** Hears of a bot that could not be started, beside the log. */
  readonly onBotFailed?: (botId: string, error: unknown) => void
  /** Version that remote clients are told. */
  readonly version?: string
  /** Files beside yizhan.yaml that may name MCP servers; none are looked at without it. */
  readonly surroundings?: McpSurroundings
  /** Steps at which tests kill the process; empty in production. */
  readonly faults: Faults
}

/** The rooms of one process, ready to be started and mounted. */
export interface House {
  readonly metrics: Metrics
  readonly models: Models
  readonly tools: ToolCatalogue
  /** The desk of remote clients; `open` and `close` are for a process that is never started. */
  readonly remote: Remote & { open(): Promise<void>; close(): Promise<void> }
  /** MCP servers as the page shows them. */
  readonly mcpPage: PlaygroundMcp
  /** Parts of the web site. */
  readonly mounts: readonly Mount[]
  start(concurrency: number): Promise<Consumer>
  stop(consumer: Consumer, graceMs: number): Promise<void>
}

/** Creates every room once. Starts nothing: see {@link House}. */
export function buildHouse(given: HouseOptions): House {
  const shared = buildSharedParts(given)
  const { options, metrics } = shared
  const { logger } = options
  const stopping = new AbortController()
  const interrupt = (sessionId: string): void => worker.interrupt(sessionId, 'session.stop_requested')
  const mail = buildMessaging(shared, {
    approvalSettled: (row) => remote.desk.approvalSettled(row),
    mailClosed: (sessionId) =>
      schedules.runs
        .mailClosed(sessionId)
        .catch((error: unknown) => logger.error({ error }, 'a slot could not be settled; it is tried again')),
  })
  const reports = buildReports(options, shared.access)
  const schedules = withTasks(
    buildSchedules({
      ...{ options, audit: shared.audit, access: shared.access, outbox: mail.outbox, queue: shared.queue },
      ...{ reports: reports.reports, people: shared.people, interrupt },
      toolsOf: toolNames(shared, () => equipment.tools),
    }),
    () => equipment.workbench.workbench,
  )
  const equipment = buildRunResources({ ...shared, ...mail, schedules, interrupt })
  const parts: HouseParts = { ...shared, ...mail, ...equipment, schedules }
  const remote = buildDesk(parts, interrupt, stopping.signal)
  const worker = buildWorker(parts)
  const gateway = buildGateway({ ...parts, worker })
  const sweeper = buildSweeper(parts, async (ageMs) => {
    await gateway.recover(ageMs)
    await remote.desk.recover()
  })
  const lifecycle = createLifecycle({
    ...parts,
    reports,
    gateway,
    worker,
    sweeper,
    known: approversOf(options),
  })
  return {
    ...{ metrics, models: parts.models, tools: parts.tools, mcpPage: parts.mcp.page },
    mounts: [mountRemote(parts, remote)],
    remote: { ...remote, ...visit(parts, stopping) },
    start: async (concurrency) => {
      const consumer = await lifecycle.start(concurrency)
      remote.desk
        .recover()
        .catch((error: unknown) => logger.error({ error }, 'calls of remote clients could not be taken up'))
      return consumer
    },
    stop: async (consumer, graceMs) => {
      stopping.abort(new AppError('worker.stopping', 'the service stops'))
      await lifecycle.stop(consumer, graceMs)
    },
  }
}

/** Names of the tools that a person has in a place. */
function toolNames({ options, access }: SharedParts, tools: () => ToolCatalogue) {
  return (user: UserKey, address: Address): string[] => {
    const platform = options.bots.adapter(address.botId)?.platform ?? ''
    const mayOperate = access.mayOperate(user, address)
    return tools()
      .forSession({ botId: address.botId, platform, mayOperate })
      .map((tool) => tool.name)
  }
}

function buildDesk(parts: HouseParts, interrupt: (sessionId: string) => void, stopping: AbortSignal): Remote {
  const { options, access, audit, approvals, outbox, presence, queue, workstation, workbench, zone } = parts
  const workstationGroup = workstationTools({ clock: options.clock, jobs: workstation.jobs })
  return buildRemote({
    ...{ ...options, access, audit, approvals, outbox, presence, interrupt, stopping, zone },
    ...{ adapter: options.bots.adapter, text: options.bots.text, names: parts.people.names },
    discipline: parts.toolCalls.discipline,
    groups: () => ({
      workstation: withToolFaults(workstationGroup, options.faults),
      workbench: workbench.source.tools(''),
    }),
    wake: (sessionId) => queue.wake(sessionId),
    sessionPrefix: REMOTE_CALLS,
    ...options.quiet,
  })
}

/** Opening and closing for one client, in a process that is never started. */
function visit(
  { presence, workstation, workbench, toolCalls }: HouseParts,
  stopping: AbortController,
): Pick<House['remote'], 'open' | 'close'> {
  return {
    open: presence.start,
    close: async () => {
      stopping.abort(new AppError('worker.stopping', 'the client is gone'))
      await workstation.jobs.close()
      await workbench.workbench.stop()
      await toolCalls.flush()
      await presence.stop()
    },
  }
}

function mountRemote({ options, mcp }: HouseParts, remote: Remote): Mount {
  const { clock, random, logger, config, version = '' } = options
  return mcpMount(
    {
      ...{ ...remote, clock, random, logger, version },
      text: createTranslate(config.locale),
      callsPerMinute: config.mcp.serve.callsPerMinute,
    },
    mcp,
  )
}

/** People of the configuration who approve, by name or as administrators. */
function approversOf({ config }: HouseOptions): string[] {
  const { approvers } = config.approval
  return [...config.access.admins, ...(Array.isArray(approvers) ? approvers : [])]
}
