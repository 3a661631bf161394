/** What views can read and do. */
import { computed, type ReadonlySignal } from '@preact/signals'
import type {
  PlaygroundMessage,
  PlaygroundOutcome,
  PlaygroundTextPart,
  PlaygroundTraffic,
} from '../../protocol/playground.ts'
import type { ActionBody } from '../playground-api.ts'
import { type Api, ApiError } from './api.ts'
import { type Chat, chatKeyOf, createPageState, type PageState } from './page-state.ts'
import { createSync } from './sync.ts'
import type { Texts } from './text.ts'
import type { Thread } from './threads.ts'
import { createToasts, type Toasts } from './toasts.ts'

export interface Store extends PageState {
  readonly texts: Texts
  readonly api: Api
  readonly toasts: Toasts
  /** Messages of the open chat. */
  readonly thread: ReadonlySignal<Thread>
  threadOf(chat: Chat): Thread
  unread(chat: Chat): number
  select(chat: Chat): void
  speakAs(personId: string): void
  /** Uploads the files, then sends the text; the text quotes the first file when it quotes nothing else. */
  send(text: readonly PlaygroundTextPart[], files: readonly File[]): Promise<boolean>
  /** Says a command to the bot of the open chat. */
  say(command: string): Promise<void>
  press(message: PlaygroundMessage, buttonId: string, form: Readonly<Record<string, string>>): Promise<void>
  recall(message: PlaygroundMessage): Promise<void>
  openDirect(): Promise<void>
  trafficEntry(id: string): Promise<PlaygroundTraffic>
  /** Connects and keeps up to date. */
  start(): void
}

export function createStore(api: Api, texts: Texts): Store {
  const toasts = createToasts()
  const page = createPageState()
  const complain = (error: unknown): void => {
    const { code, message } = error instanceof ApiError ? error : { code: '', message: String(error) }
    toasts.show('error', texts.find(`error.${code}`, { message }) ?? message)
  }
  const sync = createSync(api, page, complain)
  return {
    ...page,
    texts,
    api,
    toasts,
    ...createDeeds({ api, page, toasts, complain, readAll: sync.readAll, select: sync.select }),
    select: sync.select,
    thread: computed(() => page.threads.get(page.currentKey.value ?? '')),
    threadOf: (chat) => page.threads.get(chatKeyOf(chat)),
    unread: (chat) => page.threads.unread(chatKeyOf(chat)),
    speakAs: (personId) => {
      const key = page.currentKey.peek()
      if (key !== undefined) page.speakers.value = { ...page.speakers.peek(), [key]: personId }
    },
    trafficEntry: (id) => api.trafficEntry(page.current.peek()?.platform ?? '', id),
    start: () => {
      api.listen(sync.onEvent, (open) => {
        page.connected.value = open
      })
    },
  }
}

interface DeedsDeps {
  readonly api: Api
  readonly page: PageState
  readonly toasts: Toasts
  readonly complain: (error: unknown) => void
  readonly readAll: () => Promise<void>
  readonly select: (chat: Chat) => void
}

/** What the chosen person does in the open chat. Failures become notices. */
function createDeeds(deps: DeedsDeps): Pick<Store, 'send' | 'say' | 'press' | 'recall' | 'openDirect'> {
  const { api, page, toasts, complain } = deps
  const act = async (
    make: (chatId: string, personId: string) => ActionBody['action'],
  ): Promise<PlaygroundOutcome | undefined> => {
    const chat = page.current.peek()
    const speaker = page.person.peek()
    if (!chat || !speaker) return undefined
    return await api.act({ platform: chat.platform, action: make(chat.id, speaker.id) })
  }
  return {
    send: async (text, files) => {
      try {
        const uploaded = await uploadAll(deps, files)
        const quote = page.quote.peek()?.id ?? uploaded
        if (text.length > 0) {
          await act((chatId, personId) => ({
            type: 'send',
            chatId,
            personId,
            text,
            ...(quote === undefined ? {} : { quote }),
          }))
        }
        page.quote.value = undefined
        return true
      } catch (error) {
        complain(error)
        return false
      }
    },
    say: async (command) => {
      const chat = page.current.peek()
      const bot = chat?.kind === 'group' ? chat.members.find(({ role }) => role === 'bot') : undefined
      const text = bot ? [{ at: bot.id }, ` ${command}`] : [command]
      await act((chatId, personId) => ({ type: 'send', chatId, personId, text })).catch(complain)
    },
    press: async ({ id: messageId }, buttonId, form) => {
      const outcome = await act((chatId, personId) => ({
        type: 'press',
        chatId,
        personId,
        messageId,
        buttonId,
        form,
      })).catch(complain)
      if (outcome?.toast) toasts.show(outcome.toast.tone, outcome.toast.text)
    },
    recall: async ({ id: messageId }) => {
      await act((chatId, personId) => ({ type: 'recall', chatId, personId, messageId })).catch(complain)
    },
    openDirect: async () => {
      const outcome = await act((chatId, personId) => ({ type: 'direct', chatId, personId })).catch(complain)
      if (!outcome?.chatId) return
      await deps.readAll().catch(complain)
      const opened = page.state.peek()?.chats.find(({ id }) => id === outcome.chatId)
      if (opened) deps.select(opened)
    },
  }
}

/** Sends every file as a message of its own; id of the first. */
async function uploadAll({ api, page }: DeedsDeps, files: readonly File[]): Promise<string | undefined> {
  const chat = page.current.peek()
  const speaker = page.person.peek()
  if (!chat || !speaker) return undefined
  let first: string | undefined
  for (const file of files) {
    const { messageId } = await api.upload(
      { platform: chat.platform, chat: chat.id, person: speaker.id },
      file,
    )
    first ??= messageId
  }
  return first
}
