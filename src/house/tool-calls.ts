/** Redaction, statistics, audit and alerts of tool calls, joined with the database and the administrators. */
import type { Audit } from '../observability/audit.ts'
import type { CallAlert } from '../observability/call-alert.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createKnownRedactor, createRedactor } from '../observability/redact.ts'
import { createToolCalls, type ToolCalls } from '../observability/tool-calls.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Translate } from '../protocol/ports.ts'
import { tellAdmins } from './admin-notice.ts'
import type { HouseOptions } from './house.ts'

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

/** Statistics, audit and alerts for all tool calls of this process. */
export function buildToolCalls({ options, audit, outbox, metrics }: ToolCallsParts): ToolCalls {
  const { store, clock, random, logger, secrets = [] } = options
  const calls = createToolCalls({
    ...{ store, audit, clock, logger, salt: random.id(16) },
    redact: createRedactor(secrets),
    redactKnown: createKnownRedactor(secrets),
    onAlert: (alert) => {
      const markdown = (text: Translate): string => alertText(alert, text)
      tellAdmins(
        { ...options, outbox },
        { key: `alert-${options.random.id(8)}`, markdown, group: false },
      ).catch((error: unknown) =>
        logger.error({ error }, 'administrators could not be told of a tool that got worse'),
      )
    },
  })
  metrics.toolFigures(() => calls.statistics())
  return calls
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
