/** Mentions: what is typed or sent, the placeholders in stored content, and both views of them. */
import type { Typed } from './control.ts'
import { eventIds, nameOf, openIdOf, tenantOf } from './people.ts'
import type { App, Chat, Mention, Party, State } from './state.ts'

/** Collects mentions in order of appearance; the same party keeps its first key. */
export interface MentionList {
  readonly list: Mention[]
  /** Returns the placeholder. */
  add(party: Party): string
}

/** Starts without mentions; keys count from `@_user_1`. */
export function createMentions(state: State): MentionList {
  const list: Mention[] = []
  return {
    list,
    add: (party) => {
      const known = list.find((one) => one.party.kind === party.kind && one.party.id === party.id)
      if (known) return known.key
      const people = list.filter((one) => one.party.kind !== 'all').length
      const key = party.kind === 'all' ? '@_all' : `@_user_${people + 1}`
      list.push({ key, party, name: nameOf(state, party) })
      return key
    },
  }
}

const everybody: Party = { kind: 'all', id: 'all' }

/** The party that an id of the control interface names: `all`, an app id or a user id. */
export function partyOf(state: State, id: string): Party {
  if (id === 'all') return everybody
  return { kind: state.apps.has(id) ? 'bot' : 'user', id }
}

function partyByName(state: State, chat: Chat, name: string): Party | undefined {
  if (name === 'all' || name === '所有人') return everybody
  for (const id of chat.members) if (state.users.get(id)?.name === name) return { kind: 'user', id }
  for (const id of chat.bots) if (state.apps.get(id)?.name === name) return { kind: 'bot', id }
  return undefined
}

/** Typed text with placeholders. An unknown `@[name]` stays as it was typed. */
export function typedText(state: State, chat: Chat, typed: Typed, mentions: MentionList): string {
  if (typeof typed !== 'string')
    return typed
      .map((part) => (typeof part === 'string' ? part : mentions.add(partyOf(state, part.at))))
      .join('')
  return typed.replace(/@\[([^\]\n]+)\]/g, (whole, name: string) => {
    const party = partyByName(state, chat, name)
    return party ? mentions.add(party) : whole
  })
}

/** The party behind an id as an app writes it into `<at user_id="…">`, or undefined. */
export function partyOfAt(state: State, app: App, id: string): Party | undefined {
  if (id === 'all') return everybody
  if (id === app.botOpenId) return { kind: 'bot', id: app.appId }
  for (const userId of state.users.keys()) {
    const party: Party = { kind: 'user', id: userId }
    if (id === userId || openIdOf(state, party, app.appId) === id) return party
  }
  const owner = state.openIds.get(id)
  return owner?.appId === app.appId ? owner.party : undefined
}

/** A bot's text: each `<at user_id="…">name</at>` of a known id becomes a placeholder, the rest stays. */
export function sentText(state: State, app: App, text: string, mentions: MentionList): string {
  return text.replace(/<at user_id=["']([^"']+)["']>.*?<\/at>/gs, (whole, id: string) => {
    const party = partyOfAt(state, app, id)
    return party ? mentions.add(party) : whole
  })
}

/** Text as people read it. */
export function readText(text: string, mentions: readonly Mention[]): string {
  return [...mentions]
    .sort((a, b) => b.key.length - a.key.length)
    .reduce((read, mention) => read.replaceAll(mention.key, `@${mention.name}`), text)
}

/** `mentions` of an event. */
export function eventMentions(
  state: State,
  app: App,
  mentions: readonly Mention[],
): Record<string, unknown>[] {
  return mentions
    .filter((one) => one.party.kind !== 'all' || state.settings.atAllMention === 'entry')
    .map((one) => ({
      key: one.key,
      id: eventIds(state, one.party, app),
      ...(one.party.kind === 'all' ? {} : { mentioned_type: one.party.kind }),
      name: one.name,
      tenant_key: tenantOf(state, one.party),
    }))
}

/** `mentions` of the message API. */
export function restMentions(
  state: State,
  app: App,
  mentions: readonly Mention[],
): Record<string, unknown>[] {
  return mentions
    .filter((one) => one.party.kind !== 'all')
    .map((one) => ({
      key: one.key,
      id: openIdOf(state, one.party, app.appId),
      id_type: 'open_id',
      name: one.name,
      tenant_key: tenantOf(state, one.party),
    }))
}
