/** A simulated platform with a script instead of a simulator: the twin of `PlaygroundBackend` for tests. */
import { AppError } from '../../src/protocol/errors.ts'
import type {
  PlaygroundAction,
  PlaygroundBackend,
  PlaygroundChange,
  PlaygroundChat,
  PlaygroundContent,
  PlaygroundMessage,
  PlaygroundOutcome,
  PlaygroundPerson,
  PlaygroundTraffic,
} from '../../src/protocol/playground.ts'

export interface ScriptedBackend extends PlaygroundBackend {
  /** Adds or replaces a message and tells every page. */
  put(message: PlaygroundMessage): void
  /** A message of a person, with the next id and time. */
  compose(
    chatId: string,
    from: PlaygroundPerson,
    content: PlaygroundContent,
    change?: Partial<PlaygroundMessage>,
  ): PlaygroundMessage
  note(entry: Omit<PlaygroundTraffic, 'id' | 'at'>): void
  keep(fileId: string, name: string, bytes: Uint8Array): void
  readonly actions: PlaygroundAction[]
  /** How `act` answers a press. */
  onPress(answer: (action: PlaygroundAction) => Promise<PlaygroundOutcome>): void
}

/** A backend with the given chats; nobody answers unless the test does. */
export function createScriptedBackend(
  platform: string,
  chats: readonly PlaygroundChat[],
  start: number,
): ScriptedBackend {
  const messages: PlaygroundMessage[] = []
  const files = new Map<string, { name: string; bytes: Uint8Array }>()
  const traffic: PlaygroundTraffic[] = []
  const listeners = new Set<(change: PlaygroundChange) => void>()
  const actions: PlaygroundAction[] = []
  let press: (action: PlaygroundAction) => Promise<PlaygroundOutcome> = async () => ({})
  let count = 0
  const emit = (change: PlaygroundChange): void => {
    for (const listener of listeners) listener(change)
  }
  const put = (message: PlaygroundMessage): void => {
    const index = messages.findIndex(({ id }) => id === message.id)
    if (index === -1) messages.push(message)
    else messages[index] = message
    emit({ type: 'message', message })
  }
  const compose: ScriptedBackend['compose'] = (chatId, from, content, change = {}) => {
    count += 1
    return {
      id: `m${count}`,
      chatId,
      from,
      content,
      streaming: false,
      recalled: false,
      edited: false,
      mentions: [],
      reactions: [],
      sentAt: start + count * 20_000,
      ...change,
    }
  }
  const memberOf = (chatId: string, id: string): PlaygroundPerson => {
    const found = chats.find((chat) => chat.id === chatId)?.members.find((member) => member.id === id)
    if (!found)
      throw new AppError('playground.not_member', `${id} is not in the chat`, {
        hint: 'choose somebody else',
      })
    return found
  }
  const speak = (action: Extract<PlaygroundAction, { type: 'send' }>): PlaygroundOutcome => {
    const names = action.text.flatMap((part) =>
      typeof part === 'string' ? [] : [memberOf(action.chatId, part.at).name],
    )
    const text = action.text
      .map((part) => (typeof part === 'string' ? part : `@${memberOf(action.chatId, part.at).name}`))
      .join('')
    const quoted = messages.find(({ id }) => id === action.quote)
    const message = compose(
      action.chatId,
      memberOf(action.chatId, action.personId),
      { type: 'text', text },
      {
        mentions: names,
        ...(quoted ? { quote: { messageId: quoted.id, from: quoted.from.name, text: 'quoted' } } : {}),
      },
    )
    put(message)
    return { messageId: message.id }
  }
  return {
    platform,
    actions,
    put,
    compose,
    note: (entry) => {
      count += 1
      traffic.push({ ...entry, id: `t${count}`, at: start + count * 20_000 })
      emit({ type: 'traffic' })
    },
    keep: (fileId, name, bytes) => void files.set(fileId, { name, bytes }),
    onPress: (answer) => {
      press = answer
    },
    chats: () => chats,
    messages: (chatId) => messages.filter((message) => message.chatId === chatId),
    file: (fileId) => files.get(fileId),
    traffic: () => traffic,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    act: async (action) => {
      actions.push(action)
      if (action.type === 'send') return speak(action)
      if (action.type === 'press') return press(action)
      if (action.type !== 'upload') return {}
      const from = memberOf(action.chatId, action.personId)
      const file = { id: `f${files.size + 1}`, name: action.name, bytes: action.bytes.length }
      files.set(file.id, { name: action.name, bytes: action.bytes })
      const message = compose(action.chatId, from, { type: 'file', file })
      put(message)
      return { messageId: message.id }
    },
  }
}
