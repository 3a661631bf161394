/**
 * A row of the audit chain for every call, also for those that only read. They are written in batches:
 * a transaction of its own for each would cost a disk flush, and what has an effect has its row
 * `call.started` in the transaction of that effect already.
 */
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import type { CallReport } from '../protocol/tool-calls.ts'
import type { Store } from '../store/store.ts'
import type { Audit, AuditEntry } from './audit.ts'
import type { Redact } from './redact.ts'

const BATCH_ROWS = 100
const BATCH_MS = 1_000
/** Rows that wait while the database cannot be written; beyond that the oldest are dropped, and said. */
const MOST_WAITING = 5_000
const ARGUMENT_CHARACTERS = 500
const MESSAGE_CHARACTERS = 200

export interface CallAudit {
  add(call: CallReport): void
  /** Writes what waits. Never rejects: what cannot be written stays, and is logged. */
  flush(): Promise<void>
}

export interface CallAuditDeps {
  readonly store: Pick<Store, 'transaction'>
  readonly audit: Pick<Audit, 'appendAll'>
  readonly clock: Clock
  readonly logger: Logger
  /** Takes out secrets by their shape as well: the audit is read by people who are not in the chat. */
  readonly redact: Redact
}

/** Buffers rows and writes them in batches; a stop must call `flush`. */
export function createCallAudit(deps: CallAuditDeps): CallAudit {
  const waiting: AuditEntry[] = []
  let cancelTimer: (() => void) | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = async (): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_ROWS)
      try {
        await deps.store.transaction((trx) => deps.audit.appendAll(trx, batch))
      } catch (error) {
        const code = error instanceof AppError ? error.code : String(error)
        deps.logger.warn({ code, rows: waiting.length }, 'audit rows of tool calls wait to be written')
        cancelTimer ??= deps.clock.after(BATCH_MS, () => void flush())
        return
      }
      waiting.splice(0, batch.length)
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write)
    return writing
  }
  return {
    add(call) {
      waiting.push({ ...entryOf(call, deps.redact), at: deps.clock.now() })
      if (waiting.length > MOST_WAITING) {
        waiting.shift()
        deps.logger.error({ tool: call.tool }, 'an audit row of a tool call was lost: too many wait')
      }
      if (waiting.length % BATCH_ROWS === 0) void flush()
      else cancelTimer ??= deps.clock.after(BATCH_MS, () => void flush())
    },
    flush,
  }
}

/** Who, what, with which arguments, with which result, how long. */
function entryOf(call: CallReport, redact: Redact): AuditEntry {
  return {
    actor: call.requester,
    action: 'call.ended',
    subject: call.callId,
    detail: {
      session: call.sessionId,
      run: call.runId,
      tool: call.tool,
      args: shortened(redact(call.args), ARGUMENT_CHARACTERS),
      result: call.status,
      ...(call.error
        ? { error: call.error.type, message: shortened(redact(call.error.message), MESSAGE_CHARACTERS) }
        : {}),
      characters: call.characters,
      ms: call.ms,
    },
  }
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length})`
}
