/** Stops bots from answering each other endlessly: combines the rate guard and the chain guard, and tells the chat once. */
import { createHash } from 'node:crypto'
import { chatKey, sessionKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { Background } from './background.ts'
import { createBotChainGuard } from './bot-chain.ts'
import { createBotLoopGuard } from './bot-loop.ts'
import type { GatewayDeps } from './deps.ts'
import { notify } from './notice.ts'

export interface BotGuard {
  /** A person's message begins every chain of the session anew. */
  personSpoke(sessionId: string): void
  /** Whether this bot has had answers enough. */
  isTooMuch(event: MessageEvent): Promise<boolean>
}

/** Both guards, with the notice that is sent when a chain ends. */
export function createBotGuard(deps: GatewayDeps, { later }: Background): BotGuard {
  const loops = createBotLoopGuard(deps.clock)
  const chains = createBotChainGuard({ db: deps.store.db, clock: deps.clock }, deps.inbound.botChain)
  return {
    personSpoke: chains.personSpoke,
    isTooMuch: async (event) => {
      const chat = sessionKey(event.address)
      const taken = await chains.take(chat, { id: event.messageId, user: event.sender.user })
      if (taken !== 'yes' && taken.ended !== undefined)
        later('a notice', sayChainEnds(deps, event, taken.ended))
      return taken !== 'yes' || !loops.mayAnswer(chatKey(event.address), event.sender.user)
    },
  }
}

/** Says once that the bots' talk ends here, and what goes on. `ended` is the same for one end. */
function sayChainEnds(deps: GatewayDeps, event: MessageEvent, ended: string): Promise<void> {
  const { botId } = event.address
  return notify(deps.outbox, deps.store.db, {
    key: `b-${createHash('sha256').update(`${botId}\n${ended}`).digest('hex').slice(0, 40)}`,
    address: event.address,
    markdown: deps.text(botId)('gateway.bot_chain', { most: deps.inbound.botChain }),
  })
}
