/**
 * The simulator as the playground page sees it. It knows WeCom's messages and cards and turns them into
 * neutral ones; it refuses to know the page and the product.
 */
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type {
  PlaygroundAction,
  PlaygroundBackend,
  PlaygroundMessage,
  PlaygroundOutcome,
  PlaygroundTextPart,
} from '../../../src/protocol/playground.ts'
import { directChat } from './corp.ts'
import { chatsOf, idOf, keyOf, personOf, type WecomPlaygroundDeps } from './playground-chats.ts'
import { filesOf, playgroundContent } from './playground-content.ts'
import { playgroundTraffic } from './playground-traffic.ts'
import type { ClickView, MessageView } from './view.ts'

/** Backend of the platform `wecom`: the chats of one AI bot and its app. */
export function createWecomPlayground(deps: WecomPlaygroundDeps): PlaygroundBackend {
  const { control } = deps
  const opened = new Set<string>()
  return {
    platform: 'wecom',
    chats: () => chatsOf(deps, opened),
    messages: (chatId) => transcriptOf(deps, chatId).map((message) => messageOf(deps, message)),
    act: async (action) => {
      try {
        return await act(deps, action, opened)
      } catch (error) {
        if (!isAppError(error, 'simulator.refused')) throw error
        throw new AppError('playground.refused', error.message, { hint: error.hint, cause: error })
      }
    },
    file: (fileId) => {
      const [id = '', index] = fileId.split(':')
      const message = control.message(id)
      return message ? filesOf(message)[Number(index)] : undefined
    },
    traffic: () => control.journal().flatMap(playgroundTraffic),
    onChange: (listener) =>
      control.onChange((change) => {
        if (change.type === 'traffic') return listener(change)
        if (change.type === 'corp') return listener({ type: 'chats' })
        const message = control.message(change.messageId)
        if (!message) return
        // A first message makes a single chat appear in the list.
        if (transcriptOf(deps, idOf(message.chat)).length === 1) listener({ type: 'chats' })
        listener({ type: 'message', message: messageOf(deps, viewed(deps, message)) })
      }),
  }
}

/** In a single chat cards are seen through that person's eyes; in a group as everybody sees them. */
const viewerOf = (chat: string): string | undefined => chat.split(':')[2]

const viewed = (deps: WecomPlaygroundDeps, message: MessageView): MessageView =>
  deps.control.message(message.id, viewerOf(message.chat)) ?? message

function transcriptOf(deps: WecomPlaygroundDeps, chatId: string): MessageView[] {
  const key = keyOf(deps, chatId)
  return deps.control.transcript(key, viewerOf(key))
}

function messageOf(deps: WecomPlaygroundDeps, message: MessageView): PlaygroundMessage {
  const { content } = message
  const quoted = message.quoteId === undefined ? undefined : deps.control.message(message.quoteId)
  const text = 'text' in content ? content.text : ''
  const corp = deps.control.corp.snapshot()
  const names = [...corp.members, ...corp.bots].map(({ name }) => name)
  return {
    id: message.id,
    chatId: idOf(message.chat),
    from: personOf(deps, message.sender),
    content: playgroundContent(message),
    streaming: content.type === 'stream' && !content.finished,
    recalled: content.type === 'recalled',
    edited: false,
    ...(quoted
      ? {
          quote: {
            messageId: quoted.id,
            from: quoted.sender.name,
            text: (message.quote ?? '').slice(0, 200),
          },
        }
      : {}),
    mentions: names.filter((name) => text.includes(`@${name}`) || text.includes(`＠${name}`)),
    reactions: [],
    sentAt: message.sentAt,
  }
}

/** `@name` with a gap behind it unless the next part brings its own. */
function spokenText(deps: WecomPlaygroundDeps, parts: readonly PlaygroundTextPart[]): string {
  const corp = deps.control.corp.snapshot()
  const nameOf = (id: string): string =>
    corp.bots.find((one) => one.botId === id)?.name ??
    corp.members.find((one) => one.userid === id)?.name ??
    id
  const texts = parts.map((part) => (typeof part === 'string' ? part : `@${nameOf(part.at)}\u2005`))
  return texts.join('').replace(/\u2005(?=\s)/g, '')
}

async function act(
  deps: WecomPlaygroundDeps,
  action: PlaygroundAction,
  opened: Set<string>,
): Promise<PlaygroundOutcome> {
  const { people } = deps.control
  switch (action.type) {
    case 'send': {
      const quote = action.quote === undefined ? {} : { quote: action.quote }
      const text = spokenText(deps, action.text)
      const chat = keyOf(deps, action.chatId)
      return { messageId: await people.send({ chat, from: action.personId, type: 'text', text, ...quote }) }
    }
    case 'upload': {
      const { name, bytes, personId: from } = action
      const isImage = /\.(png|jpe?g|gif)$/i.test(name)
      const type = isImage ? 'image' : /\.mp4$/i.test(name) ? 'video' : 'file'
      return { messageId: await people.send({ chat: keyOf(deps, action.chatId), from, type, name, bytes }) }
    }
    case 'press': {
      const selections = Object.fromEntries(
        Object.entries(action.form).map(([name, value]) => [name, [value]]),
      )
      const { messageId, personId: from, buttonId: key } = action
      const before = newestOf(deps, messageId)
      const click = await people.click({ messageId, from, key, selections })
      // The bot said it in the chat: that is an answer, too.
      if (click.outcome === 'unanswered' && newestOf(deps, messageId) !== before) return {}
      return outcomeOf(deps, messageId, click)
    }
    case 'recall':
      await people.recall({ messageId: action.messageId, from: action.personId })
      return {}
    case 'direct':
      opened.add(action.personId)
      await people.openChat(directChat(deps.aibotId, action.personId))
      return { chatId: action.personId }
    default:
      return action satisfies never
  }
}

/** Id of what a bot or app said last where this message stands. */
function newestOf({ control }: WecomPlaygroundDeps, messageId: string): string | undefined {
  const chat = control.message(messageId)?.chat ?? ''
  return control.transcript(chat).findLast(({ sender }) => sender.type !== 'member')?.id
}

/** What the client tells the clicker; a card that changed for this person alone is told in words. */
function outcomeOf(deps: WecomPlaygroundDeps, messageId: string, click: ClickView): PlaygroundOutcome {
  if (click.outcome === 'undelivered') return { toast: { tone: 'error', text: '机器人不在线' } }
  if (click.outcome === 'unanswered') return { toast: { tone: 'warning', text: '机器人没有回应' } }
  const common = deps.control.message(messageId)?.content
  const isOwn = common?.type === 'card' && common.card.raw !== click.card.raw
  return isOwn && click.card.title !== undefined ? { toast: { tone: 'info', text: click.card.title } } : {}
}
