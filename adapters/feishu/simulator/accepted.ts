/** What sent content becomes, and the two checks that every kind of it shares. */
import type { Platform } from './platform.ts'
import { invalidParam, Refusal } from './refusal.ts'
import type { App, Chat, Mention } from './state.ts'

/** Content as receivers get it. */
export interface Accepted {
  readonly type: string
  readonly content: unknown
  readonly mentions: readonly Mention[]
  readonly cardId?: string
}

/** Refuses an `@all` that the group forbids. */
export function checkMentions(chat: Chat, mentions: readonly Mention[]): void {
  if (!chat.atAllAllowed && mentions.some((one) => one.party.kind === 'all'))
    throw new Refusal(230018, 'group settings do not allow to mention everybody')
}

/** Refuses keys that do not exist (230001) or belong to somebody else (230017). */
export function ownResource(
  platform: Platform,
  app: App,
  kind: 'image' | 'file',
  key: string,
): { name: string; type: string } {
  const resource = platform.state.resources.get(key)
  if (resource?.kind !== kind) throw invalidParam(`invalid ${kind}_key`)
  if (resource.owner.id !== app.appId) throw new Refusal(230017, 'The bot is not the owner of the resource')
  return resource
}
