/** Carries out what was acknowledged as a command: one transaction closes the row and queues the answer. */
import { chatKey, sessionKey } from '../../protocol/address.ts'
import { isAppError } from '../../protocol/errors.ts'
import type { MessageEvent } from '../../protocol/inbound.ts'
import { closeInbox, returnToMessages } from '../../store/repositories/inbox.ts'
import { ensureSession } from '../../store/repositories/sessions.ts'
import { admit } from '../admission.ts'
import type { ParsedCommand } from '../command-line.ts'
import type { GatewayDeps } from '../deps.ts'
import { putNotice } from '../notice.ts'
import type { CommandAnswer } from './command.ts'
import { commands } from './index.ts'

/** The row of a command that was acknowledged. */
export interface CommandRow {
  readonly id: number
  /** Wall time. */
  readonly receivedAt: number
}

/** Answers a command, a decision in words, or a message that is refused. Safe to repeat after a crash. */
export async function runCommand(deps: GatewayDeps, event: MessageEvent, row: CommandRow): Promise<void> {
  const answer = await answerTo(deps, event, row).catch((error: unknown) =>
    faultAnswer(deps, event, row, error),
  )
  if (!answer) {
    await returnToMessages(deps.store.db, row.id)
    return deps.queue.wake(sessionKey(event.address))
  }
  await deps.store.transaction(async (trx) => {
    if ((await closeInbox(trx, [row.id], 'taken')) === 0) return
    await answer.commit?.(trx)
    await putNotice(deps.outbox, trx, {
      key: `n-${event.address.botId}-${row.id}`,
      address: event.address,
      markdown: answer.markdown,
      replyTo: event.replyTo,
    })
  })
  await answer.after?.()
  deps.outbox.flush(chatKey(event.address))
}

/** The answer for a command that threw. Store errors that may pass are thrown again, so that the command is retried. */
function faultAnswer(deps: GatewayDeps, event: MessageEvent, row: CommandRow, error: unknown): CommandAnswer {
  if (isAppError(error) && error.retryable && error.code.startsWith('store.')) throw error
  const id = `c${row.id}`
  deps.logger.error({ id, error }, 'a command failed by a fault of the service')
  return { markdown: deps.text(event.address.botId)('run.fault', { id }) }
}

/** Undefined for words that only looked like a decision: they are the agent's. */
async function answerTo(
  deps: GatewayDeps,
  event: MessageEvent,
  row: CommandRow,
): Promise<CommandAnswer | undefined> {
  const { botId } = event.address
  const text = deps.text(botId)
  const admission = admit(event, {
    access: deps.access,
    answerAll: deps.answerAll(botId),
    now: deps.clock.now(),
    staleAfterMs: deps.inbound.staleAfter,
  })
  if (admission.verdict === 'refuse') return { markdown: text(admission.textKey, admission.params) }
  const decided = deps.decisionText(event) ? await deps.decideByText(event) : undefined
  if (decided !== undefined) return { markdown: decided }
  if (admission.verdict !== 'command') return undefined
  return answerCommand(deps, event, admission.command, row)
}

async function answerCommand(
  deps: GatewayDeps,
  event: MessageEvent,
  parsed: ParsedCommand,
  { id, receivedAt }: CommandRow,
): Promise<CommandAnswer> {
  const text = deps.text(event.address.botId)
  if (parsed.name === undefined) return { markdown: text('command.unknown', { word: parsed.word }) }
  const session = await ensureSession(deps.store.db, event.address, deps.clock.now())
  return commands[parsed.name]({ deps, event, session, rowId: id, receivedAt, args: parsed.args, text })
}
