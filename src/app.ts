/**
 * The only composition root of processes, and the only importer of adapters: opens the store, the
 * sandbox and the bots, joins them in a house, and starts and stops everything in order.
 */
import { join } from 'node:path'
import { createAdapter } from '../adapters/index.ts'
import { type Bots, createBots } from './bots.ts'
import { dataDirOf } from './config/data-dir.ts'
import type { LoadedConfig } from './config/load.ts'
import { type Config, configSchema } from './config/schema.ts'
import { createFaults } from './house/faults.ts'
import { buildHouse, type House } from './house/house.ts'
import type { McpSurroundings } from './house/mcp.ts'
import { createHttpServer, type Listening } from './http/server.ts'
import { createTranslate } from './locale/index.ts'
import { createStallMonitor, type StallMonitor } from './observability/stall-monitor.ts'
import { createCallScheduler } from './outbound/scheduler.ts'
import { playgroundMount } from './playground.ts'
import type { OwnerLock } from './protocol/adapter.ts'
import type { SimulatedTenants } from './protocol/playground.ts'
import type { Clock, Logger, Random } from './protocol/ports.ts'
import type { Sandbox } from './protocol/sandbox.ts'
import { createZoneTime } from './protocol/zone-time.ts'
import { createBullQueue } from './queue/bullmq.ts'
import type { Queue } from './queue/queue.ts'
import { createReadiness } from './readiness.ts'
import { createSandbox, type ProgramSandbox, sandboxBreaches } from './sandbox/index.ts'
import { lockDataDir } from './store/process-lock.ts'
import { createOwnerLock } from './store/repositories/locks.ts'
import { releaseAllLeases } from './store/repositories/sessions.ts'
import { openStore, type Store } from './store/store.ts'

/** What this process does: everything, or only taking events. */
export type Role = 'all' | 'gateway'

export interface AppOptions {
  readonly role?: Role
  readonly loaded: LoadedConfig
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly pid: number
  readonly version: string
  /** Milliseconds between pieces of the demo model's text; tests set 0. */
  readonly demoPieceMs?: number
  /** Where MCP servers may be named beside yizhan.yaml; tests leave it out. */
  readonly surroundings?: McpSurroundings
  /** Hears of a bot that could not be started, beside the log. */
  readonly onBotFailed?: (botId: string, error: unknown) => void
  /** `FAULT_AT`: kills the process at that step. Tests only. */
  readonly faultAt?: string
}

/** What runs in a process until {@link App.stop}. */
export interface App {
  readonly listening: Listening
  /** Web page to open first; undefined with real tenants. */
  readonly playgroundUrl: string | undefined
  /** Absolute path of what is kept. */
  readonly dataDir: string
  readonly store: Store
  readonly bots: Bots
  readonly tenants: SimulatedTenants | undefined
  /** Takes nothing new, finishes what can be finished in `graceMs`, leaves the rest in the store. */
  stop(graceMs?: number): Promise<void>
}

/** How long a stop lets runs go on before it interrupts them, milliseconds; the next start continues them. */
const STOP_GRACE_MS = 20_000
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/** What a process holds until its end. */
interface Opened {
  /** As the rooms read it: with the simulated bots where no other is configured. */
  readonly config: Config
  readonly dataDir: string
  readonly sandbox: ProgramSandbox
  readonly store: Store
  readonly tenants: SimulatedTenants | undefined
  readonly queue: Queue | undefined
  /** Ends the tenants, the sandbox and the store, then gives the data folder free. */
  close(): Promise<void>
}

async function openAll({ clock, random, logger, pid, loaded }: AppOptions): Promise<Opened> {
  const { config: written } = loaded
  const dataDir = dataDirOf(written)
  // Before the database is opened: a newer program would migrate it under the one that is running.
  const lock = written.database === undefined ? lockDataDir(dataDir, pid) : undefined
  // Started together: the sandbox probe takes a while, and nothing needs its result yet.
  const [sandbox, store, tenants] = await Promise.all([
    createSandbox(written.sandbox, { logger }),
    openStore({ dataDir, database: written.database, logger }),
    written.bots.length === 0 ? startTenants({ clock, random, logger }) : undefined,
  ]).catch((error: unknown) => {
    lock?.release()
    throw error
  })
  const config = tenants ? withTenants(written, tenants) : written
  // No other process can hold a lease of the embedded database.
  if (lock) await releaseAllLeases(store.db)
  const queue =
    config.redis === undefined ? undefined : await createBullQueue({ url: config.redis, clock, logger })
  warnOfSandbox(sandbox, logger)
  const close = async (): Promise<void> => {
    await tenants?.stop()
    await sandbox.close()
    await store.close()
    lock?.release()
  }
  return { config, dataDir, sandbox, store, tenants, queue, close }
}

/** Builds and starts everything; rejects with an `AppError` that an operator understands. */
export async function startApp(options: AppOptions): Promise<App> {
  const { clock, random, logger } = options
  const opened = await openAll(options)
  const { config, dataDir, store, sandbox, tenants, queue } = opened
  const owner = `${options.pid}-${random.id(6)}`
  const lock = createOwnerLock(store.db, owner, clock)
  const bots = configuredBots(config, { clock, random, logger, lock })
  const house = buildHouse({
    ...options,
    secrets: options.loaded.secrets,
    config,
    dataDir,
    store,
    sandbox,
    bots,
    owner,
    faults: createFaults(options.faultAt),
    ...(queue && { queue }),
    simulated: tenants !== undefined,
  })
  const leaving = new AbortController()
  const stalls = createStallMonitor({ clock })
  const server = createServer(options, opened, house, bots, { stalls, leaving: leaving.signal })
  const listening = await server.listen(config.server.host, config.server.port)
  if (tenants && !LOOPBACK.has(listening.host))
    logger.warn({ host: listening.host }, 'the playground has no login, and other machines can reach it')
  const consumer = await house.start(options.role === 'gateway' ? 0 : config.limits.concurrency)
  tenants?.invite()
  stalls.forget()
  return {
    listening,
    playgroundUrl: tenants ? `${listening.url}/playground/` : undefined,
    dataDir,
    store,
    bots,
    tenants,
    stop: async (graceMs = STOP_GRACE_MS) => {
      leaving.abort()
      await house.stop(consumer, graceMs)
      await server.close()
      await opened.close()
    },
  }
}

/** The HTTP server with everything that is mounted on it; binds nothing yet. */
function createServer(
  options: AppOptions,
  { config, dataDir, sandbox, store, tenants }: Opened,
  house: House,
  bots: Bots,
  state: { readonly stalls: StallMonitor; readonly leaving: AbortSignal },
): ReturnType<typeof createHttpServer> {
  const { clock, logger } = options
  const text = createTranslate(config.locale)
  const pages = { ...options, store, models: house.models, locale: config.locale }
  const titleOf = (tool: string, args: string): string => house.tools.titleOf(tool, args, text)
  house.metrics.stalls(state.stalls)
  const findBreaches = (): Promise<readonly string[]> =>
    sandboxBreaches(sandbox, secretFiles(options, dataDir))
  return createHttpServer({
    webhooks: bots.webhooks,
    health: createReadiness({ store, sandbox, bots, findBreaches, ...state }),
    metrics: () => house.metrics.text(),
    mounts: [
      ...house.mounts,
      ...(tenants ? [playgroundMount({ ...pages, tenants, titleOf, mcp: house.mcpPage })] : []),
    ],
    ...(tenants ? { home: '/playground/' } : {}),
    ...(config.server.publicUrl === undefined ? {} : { publicUrl: config.server.publicUrl }),
    clock,
    logger,
  })
}

/** Tells the operator at the start that commands will be refused, or run unconfined. */
function warnOfSandbox(sandbox: Sandbox, logger: Logger): void {
  const { kind, reason } = sandbox.status()
  if (kind === 'unavailable') logger.warn({ reason }, 'no sandbox: commands are refused, the rest works')
  if (kind === 'none') logger.warn({}, 'sandbox.kind is none: commands run with all rights of this service')
}

/** The service's own files that no command may read. */
function secretFiles({ loaded }: AppOptions, dataDir: string): string[] {
  return [...(loaded.file === undefined ? [] : [loaded.file]), join(dataDir, 'yizhan.db')]
}

/** Simulated tenants for the playground; loaded only when no bots are configured. */
async function startTenants(deps: {
  clock: Clock
  random: Random
  logger: Logger
}): Promise<SimulatedTenants> {
  const { startSimulatedTenants } = await import('../adapters/simulated.ts')
  return startSimulatedTenants(deps)
}

function withTenants(config: Config, tenants: SimulatedTenants): Config {
  // The simulated company's bots are written like an operator's, so they take the same defaults.
  const { bots, access } = configSchema.parse({ bots: tenants.bots, access: { admins: tenants.admins } })
  return { ...config, bots, access: { ...config.access, admins: access.admins } }
}

/** The bots of a configuration, each with its platform's adapter. Nothing is connected yet. */
export function configuredBots(
  config: Pick<Config, 'bots' | 'locale' | 'calendar'>,
  deps: { clock: Clock; random: Random; logger: Logger; lock: OwnerLock },
): Bots {
  return createBots(config.bots, {
    ...deps,
    locale: config.locale,
    zone: createZoneTime(config.calendar.timezone),
    scheduler: createCallScheduler(deps.clock),
    create: createAdapter,
  })
}
