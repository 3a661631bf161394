/** A chat command: what it is given and what it answers. */

import type { MessageEvent } from '../../protocol/inbound.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { SessionRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'
import type { GatewayDeps } from '../deps.ts'

export interface CommandContext {
  readonly deps: GatewayDeps
  readonly event: MessageEvent
  readonly session: SessionRow
  readonly args: readonly string[]
  readonly text: Translate
}

export interface CommandAnswer {
  readonly markdown: string
  /** Changes that belong to the answer, in its transaction. */
  readonly commit?: (db: Db) => Promise<void>
  /** What follows once the answer is certain: interrupting, waking. */
  readonly after?: () => Promise<void>
}

export type Command = (ctx: CommandContext) => Promise<CommandAnswer>
