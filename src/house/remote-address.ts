/** Where a remote caller is at home: its chat, or a place of its own where nobody is. */
import type { Caller } from '../mcp/server/callers.ts'
import type { Address } from '../protocol/address.ts'

export function addressOf(caller: Caller): Address {
  return caller.chat ?? { botId: '', chatId: `mcp:${caller.name}`, chatType: 'direct' }
}
