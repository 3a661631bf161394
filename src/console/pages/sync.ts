/** Keeps the page's state true to the server: reads everything at first, then follows the events. */
import { batch } from '@preact/signals'
import type { StreamEvent } from '../playground-api.ts'
import type { Api } from './api.ts'
import { type Chat, chatKeyOf, NO_TRAFFIC, type PageState } from './page-state.ts'

export interface Sync {
  /** Reads chats and messages; opens the first chat when none is open. */
  readAll(): Promise<void>
  select(chat: Chat): void
  onEvent(event: StreamEvent): void
}

/** How long changes are gathered before runs or traffic are read again, milliseconds. */
const GATHER_MS = 300

export function createSync(api: Api, page: PageState, complain: (error: unknown) => void): Sync {
  const { current, currentKey, threads } = page
  const refreshRuns = gather(async () => {
    const chat = current.peek()
    if (!chat) return
    const { runs } = await api.runs(chat.platform, chat.id)
    if (current.peek() === chat) page.runs.value = runs
    if (runs.some(({ state }) => state === 'running')) refreshRuns()
  }, complain)
  const refreshTraffic = gather(async () => {
    const chat = current.peek()
    if (!chat) return
    const answer = await api.traffic(chat.platform)
    if (current.peek()?.platform === chat.platform) page.traffic.value = answer
  }, complain)
  const refreshMcp = gather(async () => {
    page.mcp.value = await api.mcp()
  }, complain)
  const select = (chat: Chat): void =>
    batch(() => {
      if (currentKey.peek() !== chatKeyOf(chat)) {
        page.runs.value = []
        page.traffic.value = NO_TRAFFIC
        page.quote.value = undefined
      }
      currentKey.value = chatKeyOf(chat)
      threads.read(chatKeyOf(chat))
      page.pane.value = 'chat'
      refreshRuns()
      refreshTraffic()
    })
  const readAll = async (): Promise<void> => {
    const answer = await api.state()
    page.state.value = answer
    await Promise.all(
      answer.chats.map(async (chat) =>
        threads.load(chatKeyOf(chat), await api.messages(chat.platform, chat.id)),
      ),
    )
    const [first] = answer.chats
    if (current.peek() === undefined && first) select(first)
    refreshRuns()
    refreshTraffic()
    refreshMcp()
  }
  const onEvent = (event: StreamEvent): void => {
    if (event.type === 'hello' || event.type === 'chats') return void readAll().catch(complain)
    if (event.type === 'mcp') return void refreshMcp()
    if (event.type === 'message') {
      const key = chatKeyOf({ platform: event.platform, id: event.message.chatId })
      const isOpen = key === currentKey.peek() && page.pane.peek() === 'chat'
      threads.apply(key, event, isOpen || event.message.from.id === page.person.peek()?.id)
      if (key === currentKey.peek()) refreshRuns()
    }
    if (event.platform === current.peek()?.platform) refreshTraffic()
  }
  return { readAll, select, onEvent }
}

/** Runs `work` once, a moment after the first of several calls in a row; never twice at once. */
function gather(work: () => Promise<void>, complain: (error: unknown) => void): () => void {
  let phase: 'idle' | 'waiting' | 'busy' = 'idle'
  let again = false
  const start = (): void => {
    if (phase === 'busy') again = true
    if (phase !== 'idle') return
    phase = 'waiting'
    setTimeout(() => void go(), GATHER_MS)
  }
  const go = async (): Promise<void> => {
    phase = 'busy'
    again = false
    await work().catch(complain)
    phase = 'idle'
    if (again) start()
  }
  return start
}
