/**
 * What the house knows about tool calls: statistics, an audit row each, and an alert when a tool gets
 * worse. It knows reports of calls that are over; it refuses to know what a tool does.
 */
import type { Clock, Logger } from '../protocol/ports.ts'
import type { CallDiscipline, CallStatistics } from '../protocol/tool-calls.ts'
import { type CallAlert, createCallAlert } from './call-alert.ts'
import { type CallAuditDeps, createCallAudit } from './call-audit.ts'
import { createCallStats } from './call-stats.ts'

/** Audit rows are gathered and written together; a crash may lose the newest. */
export interface ToolCalls {
  /** For the engine and for everybody else who carries calls out. */
  readonly discipline: CallDiscipline
  /** Of one chat by its key, or of all. */
  statistics(chat?: string): CallStatistics
  /** Writes the rows that wait. */
  flush(): Promise<void>
}

export interface ToolCallsDeps extends CallAuditDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** Any text that nobody can guess; see `CallFigures.code`. */
  readonly salt: string
  /** Takes out the secrets that the service knows, and nothing else: a result must stay usable. */
  readonly redactKnown: (text: string) => string
  /** Told of a tool that got worse. Must not throw. */
  readonly onAlert: (alert: CallAlert) => void
}

/** Joins statistics, audit and alerts behind one `report`. */
export function createToolCalls(deps: ToolCallsDeps): ToolCalls {
  const stats = createCallStats(deps.salt)
  const audit = createCallAudit(deps)
  const alertFor = createCallAlert(deps.clock)
  return {
    discipline: {
      redact: deps.redactKnown,
      report: (call) => {
        stats.add(call)
        audit.add(call)
        const alert = alertFor(call)
        if (!alert) return
        deps.logger.warn({ ...alert }, 'a tool got worse')
        deps.onAlert(alert)
      },
    },
    statistics: (chat) => stats.read(chat),
    flush: () => audit.flush(),
  }
}
