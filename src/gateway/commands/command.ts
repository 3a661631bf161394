/** A chat command: what it is given and what it answers. */

import type { Transaction } from 'kysely'
import type { MessageEvent } from '../../protocol/inbound.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { Database, SessionRow } from '../../store/schema.ts'
import type { GatewayDeps } from '../deps.ts'

export interface CommandContext {
  readonly deps: GatewayDeps
  readonly event: MessageEvent
  readonly session: SessionRow
  /** Of the command's row; messages with a higher one were said after it. */
  readonly rowId: number
  /** When the command was acknowledged; wall time. One that the store refused is carried out later. */
  readonly receivedAt: number
  readonly args: readonly string[]
  readonly text: Translate
}

export interface CommandAnswer {
  /** Read after {@link CommandAnswer.commit}, which may find out what is to be said. */
  readonly markdown: string
  /** Changes that belong to the answer, in its transaction. */
  readonly commit?: (trx: Transaction<Database>) => Promise<void>
  /** What follows once the answer is certain: interrupting, waking. */
  readonly after?: () => Promise<void>
}

export type Command = (ctx: CommandContext) => Promise<CommandAnswer>
