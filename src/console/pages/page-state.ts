/** The signals that views read. Nothing here talks to the server. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { PlaygroundMessage, PlaygroundPerson, PlaygroundRun } from '../../protocol/playground.ts'
import type { McpAnswer, StateAnswer, TrafficAnswer } from '../playground-api.ts'
import { createThreads, type Threads } from './threads.ts'

export type Chat = StateAnswer['chats'][number]
export type Pane = 'chats' | 'chat' | 'inspector'

export interface PageState {
  readonly state: Signal<StateAnswer | undefined>
  readonly connected: Signal<boolean>
  readonly currentKey: Signal<string | undefined>
  readonly current: ReadonlySignal<Chat | undefined>
  /** Who speaks in each chat, by the chat's key. */
  readonly speakers: Signal<Readonly<Record<string, string>>>
  readonly person: ReadonlySignal<PlaygroundPerson | undefined>
  readonly runs: Signal<readonly PlaygroundRun[]>
  readonly traffic: Signal<TrafficAnswer>
  /** Undefined until they were read. */
  readonly mcp: Signal<McpAnswer | undefined>
  readonly quote: Signal<PlaygroundMessage | undefined>
  /** Which of the three shows on a narrow screen. */
  readonly pane: Signal<Pane>
  readonly threads: Threads
}

/** A chat among those of all platforms. */
export function chatKeyOf(chat: { readonly platform: string; readonly id: string }): string {
  return `${chat.platform}/${chat.id}`
}

export const NO_TRAFFIC: TrafficAnswer = { entries: [], omitted: 0 }

export function createPageState(): PageState {
  const state = signal<StateAnswer | undefined>(undefined)
  const currentKey = signal<string | undefined>(undefined)
  const speakers = signal<Readonly<Record<string, string>>>({})
  const current = computed(() => state.value?.chats.find((chat) => chatKeyOf(chat) === currentKey.value))
  const person = computed(() => {
    const people = current.value?.members.filter(({ role }) => role !== 'bot') ?? []
    return people.find(({ id }) => id === speakers.value[currentKey.value ?? '']) ?? people[0]
  })
  return {
    state,
    connected: signal(true),
    currentKey,
    current,
    speakers,
    person,
    runs: signal<readonly PlaygroundRun[]>([]),
    traffic: signal<TrafficAnswer>(NO_TRAFFIC),
    mcp: signal<McpAnswer | undefined>(undefined),
    quote: signal<PlaygroundMessage | undefined>(undefined),
    pane: signal<Pane>('chat'),
    threads: createThreads(),
  }
}
