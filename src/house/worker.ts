/** The worker with the direct engine, the gate and the faces of approvals. */
import { decidedCard } from '../approval/decided-card.ts'
import { createGate } from '../approval/gate.ts'
import { pendingCard } from '../approval/pending-card.ts'
import { createDirectEngine } from '../engine/direct/index.ts'
import { buildSystemPrompt } from '../engine/direct/prompt.ts'
import { createCommandAnalyser } from '../policy/command/analysis.ts'
import { createPolicy } from '../policy/policy.ts'
import { AppError } from '../protocol/errors.ts'
import { periodOf } from '../report/period.ts'
import { createConversations } from '../session/conversations.ts'
import { prepareFolders } from '../session/workspace.ts'
import { skillCatalogue } from '../skills/catalogue.ts'
import { createSpending } from '../worker/spending.ts'
import { createWorker, type Worker } from '../worker/worker.ts'
import { withToolFaults } from './faults.ts'
import type { HouseParts } from './parts.ts'

const DAY_AND_A_HALF_MS = 36 * 3_600_000

/** Composes the worker; decides nothing itself. */
export function buildWorker(parts: HouseParts): Worker {
  const { options, access, approvals, audit, metrics } = parts
  const { bots, config, store, clock, random, logger, owner } = options
  const policy = createPolicy(config, access)
  const analyser = createCommandAnalyser()
  return createWorker({
    ...parts,
    schedules: parts.schedules.runs,
    owner,
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
    tools: (scope) => withToolFaults(parts.tools.forSession(scope), options.faults),
    settleTools: () => parts.mcp.servers.settle(),
    gate: (view) =>
      createGate(
        {
          ...{ store, approvals, policy, analyser, audit, confinement: config.sandbox },
          unattended: parts.schedules.runs.unattended,
        },
        view,
      ),
    conversations: createConversations(),
    faces: {
      pending: async (row, adapter) =>
        pendingCard(row, bots.text(row.bot_id), clock.now(), {
          codeBytes: adapter.capabilities.cardCodeBytes,
          names: await parts.people.names(JSON.parse(row.approvers) as string[]),
          zone: parts.zone,
          workspace: prepareFolders(options.dataDir, row.session_id).workspace,
        }),
      decided: (row, adapter) =>
        decidedCard(row, bots.text(row.bot_id), {
          codeBytes: adapter.capabilities.cardCodeBytes,
          zone: parts.zone,
        }),
    },
    recollect: (sessionId) => (user, shown) => parts.memory.recollect({ sessionId, user }, shown),
    systemPrompt: (address, platform, locale) =>
      buildSystemPrompt({
        botName: bots.text(address.botId)('bot.name'),
        platform: bots.text(address.botId)(`bot.platform.${platform}`),
        chatType: address.chatType,
        locale,
        workspaceNote: bots.text(address.botId)('bot.workspace_note'),
        rules: '',
        skills: skillCatalogue(parts.skills.list()),
      }),
    budget: {
      maxSteps: config.limits.steps,
      maxTokens: config.limits.tokensPerRun,
      maxMs: config.limits.runMinutes * 60_000,
    },
    spending: createSpending({
      ...{ store, clock, dayOf: daysIn(config.calendar.timezone) },
      limits: {
        chatDay: tokensOf(config.limits.tokensPerChatDay),
        day: tokensOf(config.limits.tokensPerDay),
      },
      isShared: config.database !== undefined,
    }),
    watchdog: { modelMs: 300_000, toolMs: 11 * 60_000, runMs: (config.limits.runMinutes + 1) * 60_000 },
    discipline: parts.toolCalls.discipline,
    onSessionClosed: (sessionId) => parts.workstation.jobs.endSession(sessionId),
    onToolEnded: (tool, outcome, ms) =>
      metrics.tool({ tool: parts.tools.knows(tool) ? tool : 'unknown', outcome }, ms / 1_000),
    onRunEnded: (summary) => {
      metrics.run({ platform: summary.platform, outcome: summary.outcome }, summary.ms / 1_000)
      logger.info(summary, 'run ended')
      parts.schedules.runs
        .runEnded(summary.sessionId)
        .catch((error: unknown) => logger.error({ error }, 'a slot could not be settled; it is tried again'))
    },
    reason: (code) => new AppError(code, code),
  })
}

function tokensOf(limit: number | 'unlimited'): number | undefined {
  return limit === 'unlimited' ? undefined : limit
}

/** Days of a zone, 23 and 25 hours long ones among them. */
function daysIn(timezone: string): (at: number) => { from: number; to: number } {
  return (at) => {
    const { from } = periodOf('today', at, timezone).now
    return { from, to: periodOf('today', from + DAY_AND_A_HALF_MS, timezone).now.from }
  }
}
