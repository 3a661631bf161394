/** What a chat key stands for. */
import type { CorpGroup } from './corp.ts'
import { disallow } from './refusal.ts'
import type { World } from './world.ts'

export type Place =
  | { type: 'group'; group: CorpGroup }
  | { type: 'bot'; botId: string; userid: string }
  | { type: 'app'; agentId: number; userid: string }

/** Throws `simulator.refused` for a chat that does not exist. */
export function placeOf(world: World, chat: string): Place {
  const [kind, id, userid] = chat.split(':')
  if (kind === 'dm' && id !== undefined && userid !== undefined && world.org.bot(id)) {
    return { type: 'bot', botId: id, userid }
  }
  if (kind === 'app' && userid !== undefined && world.org.app(Number(id))) {
    return { type: 'app', agentId: Number(id), userid }
  }
  const group = world.org.group(chat)
  if (!group) throw disallow(`there is no chat ${chat}`)
  return { type: 'group', group }
}

/** Whether the chat key names a group. */
export const isGroup = (world: World, chat: string): boolean => world.org.group(chat) !== undefined
