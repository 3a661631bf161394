/** Messages of every chat as the page has them, kept in order against answers that cross events. */
import { signal } from '@preact/signals'
import type { PlaygroundMessage } from '../../protocol/playground.ts'
import type { MessagesAnswer, StreamEvent } from '../playground-api.ts'

export interface Thread {
  readonly messages: readonly PlaygroundMessage[]
  /** Older messages that the server left out. */
  readonly omitted: number
  readonly loaded: boolean
}

type MessageEvent = Extract<StreamEvent, { type: 'message' }>

export interface Threads {
  get(key: string): Thread
  unread(key: string): number
  /** Marks everything as read. */
  read(key: string): void
  load(key: string, answer: MessagesAnswer): void
  apply(key: string, event: MessageEvent, seen: boolean): void
}

const EMPTY: Thread = { messages: [], omitted: 0, loaded: false }
/** Events kept for answers that were on their way when they came. */
const RECENT = 200

export function createThreads(): Threads {
  const threads = signal<ReadonlyMap<string, Thread>>(new Map())
  const unread = signal<ReadonlyMap<string, number>>(new Map())
  const recent: { readonly key: string; readonly event: MessageEvent }[] = []
  const get = (key: string): Thread => threads.value.get(key) ?? EMPTY
  const put = (key: string, thread: Thread): void => {
    threads.value = new Map(threads.peek()).set(key, thread)
  }
  return {
    get,
    unread: (key) => unread.value.get(key) ?? 0,
    read: (key) => {
      unread.value = new Map(unread.peek()).set(key, 0)
    },
    load: (key, { seq, messages, omitted }) => {
      const missed = recent.filter((one) => one.key === key && one.event.seq > seq)
      const merged = missed.reduce((list, { event }) => upsert(list, event.message), messages)
      put(key, { messages: merged, omitted, loaded: true })
    },
    apply: (key, event, seen) => {
      recent.push({ key, event })
      if (recent.length > RECENT) recent.shift()
      const thread = threads.peek().get(key) ?? EMPTY
      const isNew = !thread.messages.some(({ id }) => id === event.message.id)
      put(key, { ...thread, messages: upsert(thread.messages, event.message) })
      if (isNew && !seen) unread.value = new Map(unread.peek()).set(key, (unread.peek().get(key) ?? 0) + 1)
    },
  }
}

function upsert(
  list: readonly PlaygroundMessage[],
  message: PlaygroundMessage,
): readonly PlaygroundMessage[] {
  const index = list.findLastIndex(({ id }) => id === message.id)
  return index === -1 ? [...list, message] : list.with(index, message)
}
