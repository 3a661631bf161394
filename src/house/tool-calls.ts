/** Redaction, statistics, audit and alerts of tool calls, joined with the database and the administrators. */
import type { Audit } from '../observability/audit.ts'
import type { CallAlert } from '../observability/call-alert.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createKnownRedactor, createRedactor } from '../observability/redact.ts'
import { createToolCalls, type ToolCalls } from '../observability/tool-calls.ts'
import type { Outbox } from '../outbound/outbox.ts'
import { chatKey, sessionKey } from '../protocol/address.ts'
import type { Translate } from '../protocol/ports.ts'
import { directChatsOf } from '../store/repositories/runs.ts'
import type { HouseOptions } from './house.ts'

const ALERT_DEADLINE_MS = 3_600_000

interface Surroundings
  extends Pick<HouseOptions, 'store' | 'config' | 'clock' | 'random' | 'logger' | 'secrets'> {
  readonly bots: Pick<HouseOptions['bots'], 'text'>
}

interface ToolCallsParts {
  readonly options: Surroundings
  readonly audit: Audit
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
  readonly metrics: Metrics
}

export function buildToolCalls({ options, audit, outbox, metrics }: ToolCallsParts): ToolCalls {
  const { store, clock, logger, secrets = [] } = options
  const calls = createToolCalls({
    ...{ store, audit, clock, logger },
    redact: createRedactor(secrets),
    redactKnown: createKnownRedactor(secrets),
    onAlert: (alert) => {
      tellAdmins(options, outbox, alert).catch((error: unknown) =>
        logger.error({ error }, 'administrators could not be told of a tool that got worse'),
      )
    },
  })
  metrics.toolFigures(() => calls.statistics())
  return calls
}

/** Sends the alert into the direct chat of every administrator who has one with a bot. */
async function tellAdmins(
  { store, config, bots, random }: Surroundings,
  outbox: Pick<Outbox, 'put' | 'flush'>,
  alert: CallAlert,
): Promise<void> {
  const id = random.id(8)
  for (const address of await directChatsOf(store.db, config.access.admins)) {
    await outbox.put(store.db, {
      key: `alert-${id}-${chatKey(address)}`,
      address,
      sessionId: sessionKey(address),
      ref: 'notice',
      priority: 'low',
      deadlineMs: ALERT_DEADLINE_MS,
      payload: { message: { type: 'markdown', markdown: alertText(alert, bots.text(address.botId)) } },
    })
    outbox.flush(chatKey(address))
  }
}

function alertText(alert: CallAlert, text: Translate): string {
  const { tool, recent } = alert
  if (alert.kind === 'slow') {
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
    return text('alert.tool_slow', {
      tool,
      recent,
      now: seconds(alert.nowMs),
      before: seconds(alert.beforeMs),
    })
  }
  const { failures, reason } = alert
  return text('alert.tool_failures', {
    tool,
    recent,
    failures,
    before: Math.round(alert.before * 100),
    reason,
  })
}
