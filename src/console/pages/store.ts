/** What the page knows and does. Views read its signals; only this file talks to the API. */
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type {
  PlaygroundMessage,
  PlaygroundPerson,
  PlaygroundRun,
  PlaygroundTextPart,
  PlaygroundTraffic,
} from '../../protocol/playground.ts'
import type { ActionBody, StateAnswer, StreamEvent, TrafficAnswer } from '../playground-api.ts'
import { type Api, ApiError } from './api.ts'
import type { Texts } from './text.ts'
import { createThreads, type Thread } from './threads.ts'
import { createToasts, type Toasts } from './toasts.ts'

export type Chat = StateAnswer['chats'][number]
export type Pane = 'chats' | 'chat' | 'inspector'

export interface Store {
  readonly texts: Texts
  readonly api: Api
  readonly toasts: Toasts
  readonly state: ReadonlySignal<StateAnswer | undefined>
  readonly connected: ReadonlySignal<boolean>
  readonly current: ReadonlySignal<Chat | undefined>
  readonly thread: ReadonlySignal<Thread>
  readonly person: ReadonlySignal<PlaygroundPerson | undefined>
  readonly runs: ReadonlySignal<readonly PlaygroundRun[]>
  readonly traffic: ReadonlySignal<TrafficAnswer>
  readonly quote: Signal<PlaygroundMessage | undefined>
  /** Which of the three shows on a narrow screen. */
  readonly pane: Signal<Pane>
  threadOf(chat: Chat): Thread
  unread(chat: Chat): number
  select(chat: Chat): void
  speakAs(personId: string): void
  /** Uploads the files, then sends the text; the text quotes the last file when it quotes nothing else. */
  send(text: readonly PlaygroundTextPart[], files: readonly File[]): Promise<boolean>
  press(message: PlaygroundMessage, buttonId: string, form: Readonly<Record<string, string>>): Promise<void>
  recall(message: PlaygroundMessage): Promise<void>
  openDirect(): Promise<void>
  refreshTraffic(): Promise<void>
  trafficEntry(id: string): Promise<PlaygroundTraffic>
  /** Connects and keeps up to date. */
  start(): void
}

export const chatKeyOf = (chat: { readonly platform: string; readonly id: string }): string =>
  `${chat.platform}/${chat.id}`

/** How long changes are gathered before runs or traffic are read again, milliseconds. */
const GATHER_MS = 300

export function createStore(api: Api, texts: Texts): Store {
  const toasts = createToasts()
  const state = signal<StateAnswer | undefined>(undefined)
  const connected = signal(true)
  const currentKey = signal<string | undefined>(undefined)
  const speakers = signal<Readonly<Record<string, string>>>({})
  const runs = signal<readonly PlaygroundRun[]>([])
  const traffic = signal<TrafficAnswer>({ entries: [], omitted: 0 })
  const quote = signal<PlaygroundMessage | undefined>(undefined)
  const pane = signal<Pane>('chat')
  const threads = createThreads()

  const current = computed(() => state.value?.chats.find((chat) => chatKeyOf(chat) === currentKey.value))
  const person = computed(() => {
    const people = current.value?.members.filter(({ role }) => role !== 'bot') ?? []
    return people.find(({ id }) => id === speakers.value[currentKey.value ?? '']) ?? people[0]
  })

  const complain = (error: unknown): void => {
    const { code, message } = error instanceof ApiError ? error : { code: '', message: String(error) }
    toasts.show('error', texts.find(`error.${code}`, { message }) ?? message)
  }
  const readChat = async (chat: Chat): Promise<void> => {
    const answer = await api.messages(chat.platform, chat.id)
    threads.load(chatKeyOf(chat), answer)
  }
  const refreshRuns = gather(async () => {
    const chat = current.peek()
    if (!chat) return
    const answer = await api.runs(chat.platform, chat.id)
    if (current.peek() === chat) runs.value = answer.runs
    if (answer.runs.some(({ state: phase }) => phase === 'running')) refreshRuns()
  }, complain)
  const readTraffic = async (): Promise<void> => {
    const chat = current.peek()
    if (!chat) return
    const answer = await api.traffic(chat.platform)
    if (current.peek() === chat) traffic.value = answer
  }
  const refreshTraffic = gather(readTraffic, complain)
  const select = (chat: Chat): void =>
    batch(() => {
      if (currentKey.peek() !== chatKeyOf(chat)) {
        runs.value = []
        traffic.value = { entries: [], omitted: 0 }
        quote.value = undefined
      }
      currentKey.value = chatKeyOf(chat)
      threads.read(chatKeyOf(chat))
      pane.value = 'chat'
      refreshRuns()
      refreshTraffic()
    })
  const readAll = async (): Promise<void> => {
    const answer = await api.state()
    state.value = answer
    await Promise.all(answer.chats.map(readChat))
    const [first] = answer.chats
    if (current.peek() === undefined && first) select(first)
    refreshRuns()
    refreshTraffic()
  }
  const onEvent = (event: StreamEvent): void => {
    if (event.type === 'hello' || event.type === 'chats') return void readAll().catch(complain)
    if (event.type === 'message') {
      const key = chatKeyOf({ platform: event.platform, id: event.message.chatId })
      const shown = key === currentKey.peek() && pane.peek() === 'chat'
      threads.apply(key, event, shown || event.message.from.id === person.peek()?.id)
      if (key === currentKey.peek()) refreshRuns()
    }
    if (event.platform === current.peek()?.platform) refreshTraffic()
  }
  const act = async (action: (chat: Chat, personId: string) => ActionBody['action']) => {
    const chat = current.peek()
    const speaker = person.peek()
    if (!chat || !speaker) return undefined
    return await api.act({ platform: chat.platform, action: action(chat, speaker.id) })
  }

  return {
    texts,
    api,
    toasts,
    state,
    connected,
    current,
    person,
    runs,
    traffic,
    quote,
    pane,
    thread: computed(() => threads.get(currentKey.value ?? '')),
    threadOf: (chat) => threads.get(chatKeyOf(chat)),
    unread: (chat) => threads.unread(chatKeyOf(chat)),
    select,
    speakAs: (personId) => {
      const key = currentKey.peek()
      if (key !== undefined) speakers.value = { ...speakers.peek(), [key]: personId }
    },
    send: async (text, files) => {
      try {
        const chat = current.peek()
        const speaker = person.peek()
        if (!chat || !speaker) return false
        let quoted = quote.peek()?.id
        for (const file of files) {
          const sent = await api.upload({ platform: chat.platform, chat: chat.id, person: speaker.id }, file)
          quoted ??= sent.messageId
        }
        if (text.length > 0) {
          const action = { type: 'send', chatId: chat.id, personId: speaker.id, text: [...text] } as const
          await api.act({
            platform: chat.platform,
            action: quoted === undefined ? action : { ...action, quote: quoted },
          })
        }
        quote.value = undefined
        return true
      } catch (error) {
        complain(error)
        return false
      }
    },
    press: async (message, buttonId, form) => {
      try {
        const outcome = await act(({ id }, personId) => ({
          type: 'press',
          chatId: id,
          personId,
          messageId: message.id,
          buttonId,
          form: { ...form },
        }))
        if (outcome?.toast) toasts.show(outcome.toast.tone, outcome.toast.text)
      } catch (error) {
        complain(error)
      }
    },
    recall: async (message) => {
      await act(({ id }, personId) => ({
        type: 'recall',
        chatId: id,
        personId,
        messageId: message.id,
      })).catch(complain)
    },
    openDirect: async () => {
      const outcome = await act(({ id }, personId) => ({ type: 'direct', chatId: id, personId })).catch(
        complain,
      )
      if (!outcome?.chatId) return
      await readAll().catch(complain)
      const opened = state.peek()?.chats.find(({ id }) => id === outcome.chatId)
      if (opened) select(opened)
    },
    refreshTraffic: () => readTraffic().catch(complain),
    trafficEntry: (id) => api.trafficEntry(current.peek()?.platform ?? '', id),
    start: () => {
      api.listen(onEvent, (open) => {
        connected.value = open
      })
    },
  }
}

/** Runs `work` once, a moment after the first of several calls in a row; never twice at once. */
function gather(work: () => Promise<void>, complain: (error: unknown) => void): () => void {
  let phase: 'idle' | 'waiting' | 'busy' | 'again' = 'idle'
  const start = (): void => {
    if (phase === 'busy') phase = 'again'
    if (phase !== 'idle') return
    phase = 'waiting'
    setTimeout(() => void go(), GATHER_MS)
  }
  const go = async (): Promise<void> => {
    phase = 'busy'
    await work().catch(complain)
    const wanted = phase as 'busy' | 'again'
    phase = 'idle'
    if (wanted === 'again') start()
  }
  return start
}
