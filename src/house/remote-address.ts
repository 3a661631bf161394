/** Address of a remote caller: its configured chat, or an address that belongs to no chat. */
import type { Caller } from '../mcp/server/callers.ts'
import type { Address } from '../protocol/address.ts'

export function addressOf(caller: Caller): Address {
  return caller.chat ?? { botId: '', chatId: `mcp:${caller.name}`, chatType: 'direct' }
}
