/** Whose memory it is. Nothing is found outside the scopes that a person has in a session. */
import type { UserKey } from '../protocol/address.ts'

/** Who asks, and where. Topics and chats are different sessions; so is the same person elsewhere. */
export interface Owner {
  readonly sessionId: string
  readonly user: UserKey
}

/** `chat`: everybody in this chat; `person`: only this person, in this chat. */
export type ScopeKind = 'chat' | 'person'

/** Key of a scope. Parts are encoded, so that no id can pass for another scope (T2). */
export function scopeKey(owner: Owner, kind: ScopeKind): string {
  const session = encodeURIComponent(owner.sessionId)
  return kind === 'chat' ? `chat:${session}` : `person:${session}:${encodeURIComponent(owner.user)}`
}

/** All that the person may see here. */
export function scopesOf(owner: Owner): readonly [chat: string, person: string] {
  return [scopeKey(owner, 'chat'), scopeKey(owner, 'person')]
}
