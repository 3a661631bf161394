/** A row of the inbox, and what became of work that the store may refuse. */
import { isAppError } from '../../../src/protocol/errors.ts'
import type { NewInboxRow } from '../../../src/store/repositories/inbox.ts'

/** A message that waits, told apart by its key alone. */
export const row = (dedupe: string, payload = '{}'): NewInboxRow => ({
  dedupe,
  sessionId: 's1',
  botId: 'ops',
  kind: 'message',
  state: 'waiting',
  payload,
  receivedAt: 1_700_000_000_000,
})

/** The code with which the work was refused; says so when there was no hint to it. Any other error rejects. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isAppError(error)) return error.hint === '' ? `${error.code} without a hint` : error.code
    throw error
  }
  return 'no error'
}
