/**
 * The only composition root, and the only importer of adapters: makes every room, hands each what it
 * needs, starts and stops them in order. Nothing here decides anything.
 */
import { resolve } from 'node:path'
import { createAdapter } from '../adapters/index.ts'
import { startSimulatedTenants } from '../adapters/simulated.ts'
import { type Approvals, createApprovals } from './approval/approvals.ts'
import { decidedCard } from './approval/decided-card.ts'
import { parseDecisionText } from './approval/decision-text.ts'
import { createGate } from './approval/gate.ts'
import { createApprovalInbox } from './approval/inbox.ts'
import { pendingCard } from './approval/pending-card.ts'
import { type BotConfig, type Bots, createBots } from './bots.ts'
import type { LoadedConfig } from './config/load.ts'
import { createDirectEngine } from './engine/direct/index.ts'
import { buildSystemPrompt } from './engine/direct/prompt.ts'
import { createGateway, type Gateway } from './gateway/gateway.ts'
import { createHttpServer, type Listening } from './http/server.ts'
import { createModels } from './model/catalogue.ts'
import { type Audit, createAudit } from './observability/audit.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { createOutbox, isChatGone, type Outbox } from './outbound/outbox.ts'
import { createCallScheduler } from './outbound/scheduler.ts'
import { playgroundMount } from './playground.ts'
import { type Access, createAccess } from './policy/access.ts'
import { createCommandAnalyser } from './policy/command/analysis.ts'
import { createPolicy } from './policy/policy.ts'
import type { OwnerLock } from './protocol/adapter.ts'
import { AppError } from './protocol/errors.ts'
import type { SimulatedTenants } from './protocol/playground.ts'
import type { Clock, Logger, Random } from './protocol/ports.ts'
import type { Sandbox } from './protocol/sandbox.ts'
import { createEmbeddedQueue } from './queue/embedded.ts'
import type { Consumer, Queue } from './queue/queue.ts'
import { createReadiness } from './readiness.ts'
import { createSandbox } from './sandbox/index.ts'
import { createInput, type Input } from './session/input.ts'
import { lockDataDir } from './store/process-lock.ts'
import { waitingCommands } from './store/repositories/inbox.ts'
import { createOwnerLock } from './store/repositories/locks.ts'
import { releaseAllLeases, setSessionClosed } from './store/repositories/sessions.ts'
import { openStore, type Store } from './store/store.ts'
import { createToolCatalogue, type ToolCatalogue } from './tools/catalogue.ts'
import { createSweeper, type Sweeper } from './worker/sweeper.ts'
import { createWorker, type Worker } from './worker/worker.ts'

export interface AppOptions {
  readonly loaded: LoadedConfig
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly pid: number
  readonly version: string
  /** Milliseconds between pieces of the demo model's text; tests set 0. */
  readonly demoPieceMs?: number
}

export interface App {
  readonly listening: Listening
  /** Web page to open first; undefined with real tenants. */
  readonly playgroundUrl: string | undefined
  readonly store: Store
  readonly bots: Bots
  readonly tenants: SimulatedTenants | undefined
  /** Takes nothing new, finishes what can be finished in `graceMs`, leaves the rest in the store. */
  stop(graceMs?: number): Promise<void>
}

const DEFAULT_GRACE_MS = 20_000

/** Builds and starts everything; rejects with an `AppError` that an operator understands. */
export async function startApp(options: AppOptions): Promise<App> {
  const { clock, random, logger } = options
  const tenants =
    options.loaded.config.bots.length === 0
      ? await startSimulatedTenants({ clock, random, logger })
      : undefined
  const config = tenants ? withTenants(options.loaded.config, tenants) : options.loaded.config
  const dataDir = resolve(config.dataDir)
  const store = await openStore({ dataDir, logger })
  const lock = lockDataDir(dataDir, options.pid)
  await releaseAllLeases(store.db)
  const sandbox = await createSandbox(config.sandbox, { logger })
  const house = buildHouse({ ...options, config, dataDir, store, sandbox })
  const server = createHttpServer({
    webhooks: house.bots.webhooks,
    health: createReadiness({ store, sandbox, bots: house.bots }),
    metrics: () => house.metrics.text(),
    mounts: tenants
      ? [playgroundMount({ ...options, store, tenants, models: house.models, locale: config.locale })]
      : [],
    ...(tenants ? { home: '/playground/' } : {}),
    ...(config.server.publicUrl === undefined ? {} : { publicUrl: config.server.publicUrl }),
    clock,
    logger,
  })
  const listening = await server.listen(config.server.host, config.server.port)
  const consumer = await house.start(config.limits.concurrency)
  return {
    listening,
    playgroundUrl: tenants ? `${listening.url}/playground/` : undefined,
    store,
    bots: house.bots,
    tenants,
    stop: async (graceMs = DEFAULT_GRACE_MS) => {
      await house.stop(consumer, graceMs)
      await server.close()
      await tenants?.stop()
      await sandbox.close()
      await store.close()
      lock.release()
    },
  }
}

type Config = LoadedConfig['config']

function withTenants(config: Config, tenants: SimulatedTenants): Config {
  return {
    ...config,
    bots: [...tenants.bots] as BotConfig[],
    access: { ...config.access, admins: [...tenants.admins] as Config['access']['admins'] },
  }
}

/** The bots of a configuration, each with its platform's adapter. Nothing is connected yet. */
export function configuredBots(
  config: Pick<Config, 'bots' | 'locale'>,
  deps: { clock: Clock; random: Random; logger: Logger; lock: OwnerLock },
): Bots {
  return createBots(config.bots, {
    ...deps,
    locale: config.locale,
    scheduler: createCallScheduler(deps.clock),
    create: createAdapter,
  })
}

interface HouseOptions extends AppOptions {
  readonly config: Config
  readonly dataDir: string
  readonly store: Store
  readonly sandbox: Sandbox
}

interface House {
  readonly bots: Bots
  readonly metrics: Metrics
  readonly models: ReturnType<typeof createModels>
  start(concurrency: number): Promise<Consumer>
  stop(consumer: Consumer, graceMs: number): Promise<void>
}

/** Everything between the sockets and the database. */
function buildHouse(options: HouseOptions): House {
  const { config, clock, random, logger, store } = options
  const owner = `${options.pid}-${random.id(6)}`
  const metrics = createMetrics()
  const audit = createAudit({ db: store.db, clock })
  const access = createAccess(config)
  const queue = createEmbeddedQueue(logger)
  const bots = configuredBots(config, {
    clock,
    random,
    logger,
    lock: createOwnerLock(store.db, owner, clock),
  })
  const approvals = createApprovals({
    store,
    clock,
    random,
    logger,
    audit,
    access,
    limits: { expiresMs: config.approval.expires, maxPendingPerChat: config.approval.maxPendingPerChat },
    // The woken run repaints the card: it goes on there, or ends there.
    onSettled: (row) => queue.wake(row.session_id),
  })
  const outbox = buildOutbox({ options, bots, audit, metrics })
  const input = createInput({
    store,
    adapter: bots.adapter,
    dataDir: options.dataDir,
    clock,
    random,
    logger,
    text: bots.text,
    maxFileBytes: config.limits.inboundFileMb * 1024 * 1024,
  })
  const models = createModels(config.models, {
    clock,
    random,
    localeOf: bots.localeOf,
    ...(options.demoPieceMs === undefined ? {} : { demoPieceMs: options.demoPieceMs }),
  })
  const tools = createToolCatalogue(options.sandbox)
  const worker = buildWorker({
    options,
    owner,
    access,
    audit,
    approvals,
    bots,
    queue,
    outbox,
    input,
    models,
    tools,
    metrics,
  })
  const gateway = buildGateway({
    options,
    access,
    approvals,
    bots,
    queue,
    outbox,
    input,
    models,
    tools,
    metrics,
    worker,
    audit,
  })
  const sweeper = createSweeper({ store, queue, outbox, approvals, clock, logger })
  return {
    bots,
    metrics,
    models,
    ...lifecycle({ bots, gateway, outbox, queue, sweeper, worker, input, clock, logger }),
  }
}

function buildOutbox(parts: { options: HouseOptions; bots: Bots; audit: Audit; metrics: Metrics }): Outbox {
  const { store, clock, random, logger } = parts.options
  return createOutbox({
    store,
    adapter: parts.bots.adapter,
    clock,
    random,
    logger,
    onClosed: async (row, delivery) => {
      const platform = parts.bots.adapter(row.bot_id)?.platform ?? ''
      parts.metrics.delivery({ platform, state: delivery.state })
      const outcome =
        delivery.state === 'sent' ? { message: delivery.sent.messageId } : { code: delivery.error.code }
      await store.transaction((trx) =>
        parts.audit.append(trx, {
          actor: 'system',
          action: `delivery.${delivery.state}`,
          subject: row.key,
          detail: { ref: row.ref, chat: row.chat_key, ...outcome },
        }),
      )
      if (delivery.state === 'failed' && isChatGone(delivery.error) && row.session_id !== null) {
        await setSessionClosed(store.db, row.session_id, delivery.error.code)
      }
    },
  })
}

interface WorkerParts {
  readonly options: HouseOptions
  readonly owner: string
  readonly access: Access
  readonly audit: Audit
  readonly approvals: Approvals
  readonly bots: Bots
  readonly queue: Queue
  readonly outbox: Outbox
  readonly input: Input
  readonly models: ReturnType<typeof createModels>
  readonly tools: ToolCatalogue
  readonly metrics: Metrics
}

function buildWorker(parts: WorkerParts): Worker {
  const { options, access, approvals, audit, bots, metrics } = parts
  const { config, store, clock, random, logger } = options
  const policy = createPolicy(config, access)
  const analyser = createCommandAnalyser()
  return createWorker({
    ...parts,
    store,
    clock,
    random,
    logger,
    dataDir: options.dataDir,
    sandbox: options.sandbox,
    engine: createDirectEngine(),
    adapter: bots.adapter,
    localeOf: bots.localeOf,
    text: bots.text,
    tools: parts.tools.forSession,
    gate: (view) => createGate({ store, approvals, policy, analyser, audit }, view),
    faces: {
      pending: (row, adapter) =>
        pendingCard(row, bots.text(row.bot_id), clock.now(), {
          codeBytes: adapter.capabilities.cardCodeBytes,
        }),
      decided: (row, adapter) =>
        decidedCard(row, bots.text(row.bot_id), { codeBytes: adapter.capabilities.cardCodeBytes }),
    },
    systemPrompt: (address, platform, locale) =>
      buildSystemPrompt({
        botName: bots.text(address.botId)('bot.name'),
        platform: bots.text(address.botId)(`bot.platform.${platform}`),
        chatType: address.chatType,
        locale,
        workspaceNote: bots.text(address.botId)('bot.workspace_note'),
        rules: '',
      }),
    budget: {
      maxSteps: config.limits.steps,
      maxTokens: config.limits.tokensPerRun,
      maxMs: config.limits.runMinutes * 60_000,
    },
    watchdog: { modelMs: 300_000, toolMs: 11 * 60_000, runMs: (config.limits.runMinutes + 1) * 60_000 },
    onToolEnded: (tool, outcome, ms) => metrics.tool({ tool, outcome }, ms / 1_000),
    onRunEnded: (summary) => {
      metrics.run({ platform: summary.platform, outcome: summary.outcome }, summary.ms / 1_000)
      logger.info(summary, 'run ended')
    },
    reason: (code) => new AppError(code, code),
  })
}

function buildGateway(parts: Omit<WorkerParts, 'owner'> & { worker: Worker }): Gateway {
  const { options, bots, approvals, input, metrics, audit } = parts
  const { store } = options
  const clicks = createApprovalInbox({
    approvals,
    textFor: bots.text,
    codeBytesFor: (botId) => bots.adapter(botId)?.capabilities.cardCodeBytes ?? 0,
  })
  return createGateway({
    ...parts,
    store,
    clock: options.clock,
    random: options.random,
    logger: options.logger,
    dataDir: options.dataDir,
    text: bots.text,
    answerAll: bots.answersAll,
    prefetch: input.prefetch,
    waitingCommands: () => waitingCommands(store.db),
    interrupt: (sessionId) => parts.worker.interrupt(sessionId, 'session.stop_requested'),
    tools: (botId) => parts.tools.summaries(bots.adapter(botId)?.platform ?? '', bots.text(botId)),
    handleAction: async (event) => (await clicks.handleAction(event)) ?? {},
    decisionText: (event) => parseDecisionText(event.text) !== undefined,
    decideByText: async (event) => {
      const answer = await clicks.handleText(event)
      return answer.handled ? answer.reply : bots.text(event.address.botId)('gateway.empty')
    },
    onOther: async (event) => {
      if (event.type !== 'feedback') return
      await store.transaction((trx) =>
        audit.append(trx, {
          actor: event.operator.user,
          action: 'feedback',
          subject: event.eventId,
          detail: { helpful: event.helpful ?? null, text: event.text },
        }),
      )
    },
    count: (_metric, labels) => metrics.event(labels),
  })
}

function lifecycle(parts: {
  bots: Bots
  gateway: Gateway
  outbox: Outbox
  queue: Queue
  sweeper: Sweeper
  worker: Worker
  input: Input
  clock: Clock
  logger: Logger
}): Pick<House, 'start' | 'stop'> {
  const { bots, gateway, outbox, queue, sweeper, worker, input, clock, logger } = parts
  return {
    start: async (concurrency) => {
      await Promise.all(
        bots.all().map((adapter) =>
          adapter.start(gateway.receive).catch((error: unknown) => {
            // One bot with a wrong secret must not silence the others; readiness and doctor say it.
            logger.error({ bot: adapter.botId, error }, 'a bot could not be started')
          }),
        ),
      )
      await outbox.start()
      await gateway.recover()
      const consumer = queue.consume(worker.handle, concurrency)
      await sweeper.sweep()
      sweeper.start()
      return consumer
    },
    stop: async (consumer, graceMs) => {
      sweeper.stop()
      await Promise.all(bots.all().map((adapter) => adapter.stop()))
      const drained = consumer.drain()
      const cancel = clock.after(graceMs, () => worker.stop())
      await drained
      cancel()
      await gateway.drain()
      await input.drain()
      await outbox.stop()
      await queue.close()
    },
  }
}
