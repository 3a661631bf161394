/** The gateway with approvals by click and by text, and the chat commands' view of the house. */
import { parseDecisionText } from '../approval/decision-text.ts'
import { createApprovalInbox } from '../approval/inbox.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import type { Receipt } from '../protocol/adapter.ts'
import { waitingCommands } from '../store/repositories/inbox.ts'
import type { Worker } from '../worker/worker.ts'
import type { HouseParts } from './parts.ts'

/** Composes the gateway; decides nothing itself. */
export function buildGateway(parts: HouseParts & { worker: Worker }): Gateway {
  const { options, approvals, input, metrics, audit } = parts
  const { store, bots } = options
  const clicks = createApprovalInbox({
    zone: parts.zone,
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
    inbound: options.config.inbound,
    prefetch: input.prefetch,
    waitingCommands: () => waitingCommands(store.db),
    interrupt: (sessionId) => parts.worker.interrupt(sessionId, 'session.stop_requested'),
    tools: (botId) =>
      parts.tools.summaries(
        { botId, platform: bots.adapter(botId)?.platform ?? '', mayOperate: true },
        bots.text(botId),
      ),
    schedules: {
      desk: parts.schedules.desk,
      asker: async (event) => {
        const { user, name } = await parts.people.named(event.sender)
        return parts.schedules.asker({ user, name, address: event.address })
      },
    },
    tasks: parts.workbench.workbench.desk,
    modelLabel: parts.workbench.workbench.settings.labelOf,
    mcp: parts.mcp.command,
    statistics: parts.toolCalls.statistics,
    handleAction: async (event) => {
      const named = { ...event, operator: await parts.people.named(event.operator) }
      for (const handle of [
        clicks.handleAction,
        parts.schedules.handleAction,
        parts.workbench.workbench.verification.byClick,
      ]) {
        const receipt = await handle(named)
        if (receipt) return addressed(receipt, named.operator.name)
      }
      return {}
    },
    decisionText: (event) => parseDecisionText(event.text) !== undefined,
    decideByText: async (event) => {
      const answer = await clicks.handleText({ ...event, sender: await parts.people.named(event.sender) })
      return answer.handled ? answer.reply : undefined
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

function addressed({ toast, ...rest }: Receipt, to: string | undefined): Receipt {
  if (toast === undefined) return rest
  return { ...rest, toast: to === undefined ? toast : { ...toast, to } }
}
