/**
 * Joins the rooms between the sockets and the database: each is made once and handed what it needs.
 * Nothing here decides anything.
 */
import { createApprovals } from '../approval/approvals.ts'
import type { Bots } from '../bots.ts'
import type { Config } from '../config/schema.ts'
import type { Mount } from '../http/application.ts'
import { createTranslate } from '../locale/index.ts'
import { createModels, type Models } from '../model/catalogue.ts'
import { createAudit } from '../observability/audit.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import type { Outbox } from '../outbound/outbox.ts'
import { createPeople } from '../people.ts'
import { createAccess } from '../policy/access.ts'
import { AppError } from '../protocol/errors.ts'
import type { PlaygroundMcp } from '../protocol/playground.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { createEmbeddedQueue } from '../queue/embedded.ts'
import type { Consumer, Queue } from '../queue/queue.ts'
import type { ProgramSandbox } from '../sandbox/index.ts'
import { createInput } from '../session/input.ts'
import { createPresence } from '../store/presence.ts'
import type { Store } from '../store/store.ts'
import { createToolCatalogue, type ToolCatalogue } from '../tools/catalogue.ts'
import { workstationTools } from '../tools/workstation/index.ts'
import { wipeGoneChats } from '../worker/retention.ts'
import { createSweeper } from '../worker/sweeper.ts'
import { agentSource } from './agents.ts'
import { buildBrowser } from './browser.ts'
import { buildDesktop } from './desktop.ts'
import { type Faults, withModelFaults, withToolFaults } from './faults.ts'
import { buildGateway } from './gateway.ts'
import { createLifecycle } from './lifecycle.ts'
import { buildMcp, type McpSurroundings } from './mcp.ts'
import { mcpMount } from './mcp-mount.ts'
import { buildMemory } from './memory.ts'
import { buildOutbox } from './outbox.ts'
import { buildRemote, type Remote } from './remote.ts'
import { buildReports } from './reports.ts'
import { buildSchedules } from './schedules.ts'
import { buildSkills } from './skills.ts'
import { buildToolCalls } from './tool-calls.ts'
import { builtinSource, companyApprovalSource } from './tools.ts'
import { buildVideo } from './video.ts'
import { buildWorkbench, withSettings, withTasks } from './workbench.ts'
import { buildWorker } from './worker.ts'
import { buildWorkstation } from './workstation.ts'

export interface HouseOptions {
  readonly config: Config
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
  /** Version that remote clients are told. */
  readonly version?: string
  /** Files beside yizhan.yaml that may name MCP servers; none are looked at without it. */
  readonly surroundings?: McpSurroundings
  /** Steps at which tests kill the process; empty in production. */
  readonly faults: Faults
}

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

export function buildHouse(given: HouseOptions): House {
  const audit = createAudit({ db: given.store.db, clock: given.clock })
  const { settings, options } = withSettings(given, audit)
  const { config, clock, random, logger, store, bots, sandbox } = options
  const metrics = createMetrics()
  const presence = createPresence(
    { db: store.db, clock, logger },
    options.owner,
    options.quiet ? 'guest' : 'service',
  )
  const access = createAccess(config)
  const queue = options.queue ?? createEmbeddedQueue(logger)
  const people = createPeople({ store, bots, clock })
  const approvals = createApprovals({
    ...{ store, clock, random, logger, audit, access },
    limits: { expiresMs: config.approval.expires, maxPendingPerChat: config.approval.maxPendingPerChat },
    // The woken run repaints the card: it goes on there, or ends there.
    onSettled: async (row) => {
      options.faults.at('approval_decided')
      await queue.wake(row.session_id)
      remote.desk.approvalSettled(row)
    },
  })
  const sending = buildOutbox({
    ...{ options, audit, metrics, presence, approvals },
    mailClosed: (sessionId) =>
      schedules.runs
        .mailClosed(sessionId)
        .catch((error: unknown) => logger.error({ error }, 'a slot could not be settled; it is tried again')),
  })
  const outbox: Outbox = options.quiet ? { ...sending, flush: () => {} } : sending
  const reports = buildReports(options, access)
  const builtSchedules = buildSchedules({
    ...{ options, audit, access, outbox, queue },
    reports: reports.reports,
    people,
    toolsOf: (user, address) => {
      const platform = bots.adapter(address.botId)?.platform ?? ''
      const mayOperate = access.mayOperate(user, address)
      return tools.forSession({ botId: address.botId, platform, mayOperate }).map((tool) => tool.name)
    },
    interrupt: (sessionId) => worker.interrupt(sessionId, 'session.stop_requested'),
  })
  const schedules = withTasks(builtSchedules, () => workbench.workbench)
  const input = createInput({
    ...{ store, clock, random, logger, adapter: bots.adapter, dataDir: options.dataDir, text: bots.text },
    maxFileBytes: config.limits.inboundFileMb * 1024 * 1024,
  })
  const pace = options.demoPieceMs === undefined ? {} : { demoPieceMs: options.demoPieceMs }
  const models = withModelFaults(
    createModels(settings.models, { clock, random, localeOf: bots.localeOf, ...pace }),
    options.faults,
  )
  const memory = buildMemory({ options, metrics })
  const skills = buildSkills(options)
  const mcp = buildMcp(options, approvals, outbox)
  const workstation = buildWorkstation(options, queue)
  const workbench = buildWorkbench({
    ...{ options, settings, access, audit, approvals, outbox, queue, presence },
    interrupt: (sessionId) => worker.interrupt(sessionId, 'session.stop_requested'),
  })
  const toolCalls = buildToolCalls({ options, audit, outbox, metrics })
  const companions = [buildBrowser(options), buildDesktop(options), buildVideo(options, outbox)]
  const tools = createToolCatalogue([
    builtinSource(sandbox),
    companyApprovalSource(config.bots, bots, access),
    schedules.source,
    agentSource(options, memory, skills),
    workstation.source,
    mcp.source,
    ...companions.map((companion) => companion.source),
    workbench.source,
  ])
  const parts = {
    options,
    access,
    audit,
    approvals,
    queue,
    outbox,
    input,
    models,
    tools,
    metrics,
    people,
    schedules,
    memory,
    skills,
    mcp,
    workstation,
    workbench,
    toolCalls,
  }
  const stopping = new AbortController()
  const workstationGroup = workstationTools({ clock, jobs: workstation.jobs })
  const remote = buildRemote({
    ...{ ...options, access, audit, approvals, outbox, presence },
    ...{ adapter: bots.adapter, text: bots.text, names: people.names, stopping: stopping.signal },
    discipline: toolCalls.discipline,
    groups: () => ({
      workstation: withToolFaults(workstationGroup, options.faults),
      workbench: workbench.source.tools(''),
    }),
    wake: (sessionId) => queue.wake(sessionId),
    interrupt: (sessionId) => worker.interrupt(sessionId, 'session.stop_requested'),
    sessionPrefix: 'remote:',
    ...options.quiet,
  })
  const worker = buildWorker(parts)
  const gateway = buildGateway({ ...parts, worker })
  const recoverCommands = async (ageMs: number): Promise<void> => {
    await gateway.recover(ageMs)
    await remote.desk.recover()
  }
  const wipe = (): Promise<void> =>
    wipeGoneChats({
      ...{ store, clock, logger, dataDir: options.dataDir },
      onWiped: (subject) =>
        store.transaction((trx) =>
          audit.append(trx, { actor: 'system', action: 'workspace.wiped', subject, detail: {} }),
        ),
      keep: config.retention.goneChats,
    })
  const sweeper = createSweeper({ store, queue, outbox, approvals, recoverCommands, wipe, clock, logger })
  const known = [
    ...config.access.admins,
    ...(Array.isArray(config.approval.approvers) ? config.approval.approvers : []),
  ]
  const lifecycle = createLifecycle({
    options,
    presence,
    gateway,
    outbox,
    queue,
    sweeper,
    worker,
    input,
    people,
    schedules,
    reports,
    mcp,
    workstation,
    workbench,
    toolCalls,
    companions,
    known,
  })
  const mounts = [
    mcpMount(
      {
        ...{ ...remote, clock, random, logger },
        version: options.version ?? '',
        text: createTranslate(config.locale),
        callsPerMinute: config.mcp.serve.callsPerMinute,
      },
      mcp,
    ),
  ]
  return {
    ...{ metrics, models, tools, mounts },
    mcpPage: mcp.page,
    remote: {
      ...remote,
      open: presence.start,
      close: async () => {
        stopping.abort(new AppError('worker.stopping', 'the client is gone'))
        await workstation.jobs.close()
        await workbench.workbench.stop()
        await toolCalls.flush()
        await presence.stop()
      },
    },
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
