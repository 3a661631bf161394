/**
 * The simulator as the playground page sees it. It knows Feishu's message types and cards and turns
 * them into neutral ones; it refuses to know the page and the product.
 */
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type {
  PlaygroundAction,
  PlaygroundBackend,
  PlaygroundChange,
  PlaygroundChat,
  PlaygroundContent,
  PlaygroundFile,
  PlaygroundMessage,
  PlaygroundOutcome,
  PlaygroundPerson,
} from '../../../src/protocol/playground.ts'
import { components, contentOf, type Placed } from './card-tree.ts'
import type { ChatView, FeishuControl, TranscriptMessage } from './control.ts'
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'
import { playgroundCard } from './playground-card.ts'
import { playgroundTraffic } from './playground-traffic.ts'

export interface FeishuPlaygroundDeps {
  readonly control: FeishuControl
  /** Id of our bot in `yizhan.yaml`, and its app in the simulator. */
  readonly botId: string
  readonly appId: string
  /** user ids that the configuration names as admins. */
  readonly admins: readonly string[]
}

/** Backend of the platform `feishu`: the chats of one app. */
export function createFeishuPlayground(deps: FeishuPlaygroundDeps): PlaygroundBackend {
  const { control, appId } = deps
  return {
    platform: 'feishu',
    chats: () =>
      control
        .chats()
        .filter(({ bots }) => bots.some((bot) => bot.appId === appId))
        .map((chat) => chatOf(chat, deps)),
    messages: (chatId) => control.transcript(chatId).map((message) => messageOf(message, deps)),
    act: async (action) => {
      try {
        return await act(action, deps)
      } catch (error) {
        if (isAppError(error) && error.code.startsWith('playground.')) throw error
        const message = error instanceof Error ? error.message : String(error)
        throw new AppError('playground.refused', message, {
          hint: 'the simulated platform refuses it',
          cause: error,
        })
      }
    },
    file: (fileId) => control.fileBytes(fileId),
    traffic: () => control.journal().map(playgroundTraffic),
    onChange: (listener) =>
      control.onChange(({ type, messageId }) => {
        const message = messageId === undefined ? undefined : control.message(messageId)
        for (const change of changesOf(type, message, deps)) listener(change)
      }),
  }
}

function changesOf(
  type: 'message' | 'chat' | 'connection',
  message: TranscriptMessage | undefined,
  deps: FeishuPlaygroundDeps,
): PlaygroundChange[] {
  if (type === 'chat') return [{ type: 'chats' }]
  if (type === 'connection' || !message) return [{ type: 'traffic' }]
  return [{ type: 'message', message: messageOf(message, deps) }]
}

function chatOf(chat: ChatView, deps: FeishuPlaygroundDeps): PlaygroundChat {
  const members = peopleOf(chat, deps)
  const [person] = chat.members
  const bot = chat.bots.find(({ appId }) => appId === deps.appId)
  const direct = chat.mode === 'p2p'
  return {
    id: chat.chatId,
    title: direct ? `${person?.name ?? ''} · ${bot?.name ?? ''}` : chat.name,
    kind: direct ? 'direct' : 'group',
    botId: deps.botId,
    members,
    closed: chat.disbanded,
  }
}

function peopleOf(chat: ChatView, { admins }: FeishuPlaygroundDeps): readonly PlaygroundPerson[] {
  return [
    ...chat.members.map(
      ({ userId, name }): PlaygroundPerson => ({
        id: userId,
        name,
        role: admins.includes(userId) ? 'admin' : 'member',
      }),
    ),
    ...chat.bots.map(({ appId, name }): PlaygroundPerson => ({ id: appId, name, role: 'bot' })),
  ]
}

function messageOf(message: TranscriptMessage, deps: FeishuPlaygroundDeps): PlaygroundMessage {
  const { control, admins } = deps
  const { sender } = message
  const parent = message.parentId === undefined ? undefined : control.message(message.parentId)
  const names = peopleOf(control.chat(message.chatId), deps).map(({ name }) => name)
  return {
    id: message.messageId,
    chatId: message.chatId,
    from: {
      id: sender.id,
      name: sender.name,
      role: sender.kind === 'bot' ? 'bot' : admins.includes(sender.id) ? 'admin' : 'member',
    },
    content:
      sender.kind === 'system' ? { type: 'notice', text: message.text } : contentOfMessage(message, deps),
    streaming: message.card?.streaming === true,
    recalled: message.recalled,
    edited: message.edits > 0 && message.type !== 'interactive',
    ...(parent
      ? { quote: { messageId: parent.messageId, from: parent.sender.name, text: firstLine(parent.text) } }
      : {}),
    mentions: names.filter((name) => message.text.includes(`@${name}`)),
    reactions: message.reactions.map(({ emoji, by }) => ({ emoji, by: by.map((id) => nameOf(id, control)) })),
    sentAt: message.createdAt,
  }
}

function contentOfMessage(message: TranscriptMessage, deps: FeishuPlaygroundDeps): PlaygroundContent {
  const file = (key: string): PlaygroundFile => fileOf(key, deps.control)
  const [key = ''] = message.fileKeys
  switch (message.type) {
    case 'interactive':
      return {
        type: 'card',
        card: playgroundCard(objectOf(message.content), { nameOf: (id) => nameOf(id, deps.control), file }),
      }
    case 'post':
      return { type: 'markdown', text: postMarkdown(objectOf(message.content)) || message.text }
    case 'image':
      return { type: 'image', file: file(key) }
    case 'file':
      return { type: 'file', file: file(key) }
    case 'audio':
      return { type: 'audio', file: file(key) }
    case 'media':
      return { type: 'video', file: file(key) }
    case 'text':
      return { type: 'text', text: message.text }
    default:
      return { type: 'text', text: message.text || `[${message.type}]` }
  }
}

/** A rich text as markdown. What was sent as `md` comes back as text and is markdown still. */
function postMarkdown(content: JsonObject): string {
  const paragraphs = arrayOf(content['content']).map((paragraph) =>
    arrayOf(paragraph).map(objectOf).map(postPart).join(''),
  )
  const title = textOf(content['title'])
  return [...(title === '' ? [] : [`**${title}**`]), ...paragraphs].join('\n\n')
}

function postPart(part: JsonObject): string {
  switch (part['tag']) {
    case 'a':
      return `[${textOf(part['text'])}](${textOf(part['href'])})`
    case 'at':
      return `@${textOf(part['user_name'])}`
    case 'code_block':
      return `\n\`\`\`${textOf(part['language'])}\n${textOf(part['text'])}\n\`\`\`\n`
    case 'hr':
      return '\n---\n'
    case 'img':
    case 'media':
      return `[${textOf(part['tag'])}]`
    default:
      return textOf(part['text'])
  }
}

function fileOf(key: string, control: FeishuControl): PlaygroundFile {
  const file = control.fileBytes(key)
  return { id: key, name: file?.name ?? key, bytes: file?.bytes.length ?? 0 }
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.slice(0, 200) ?? ''
  )
}

/** Name behind a user id, an app id, an open_id or `all`. */
function nameOf(id: string, control: FeishuControl): string {
  if (id === 'all') return '所有人'
  const userId = control.userOf(id) ?? id
  const user = control.users().find((one) => one.userId === userId)
  return user?.name ?? control.apps().find((app) => app.appId === id || app.botOpenId === id)?.name ?? id
}

async function act(action: PlaygroundAction, deps: FeishuPlaygroundDeps): Promise<PlaygroundOutcome> {
  const { control } = deps
  switch (action.type) {
    case 'send': {
      const quote = action.quote === undefined ? {} : { replyTo: action.quote }
      return { messageId: control.say(action.chatId, action.personId, action.text, quote) }
    }
    case 'upload': {
      const file = { name: action.name, bytes: action.bytes }
      const send = /\.(png|jpe?g|gif|webp|bmp)$/i.test(action.name) ? control.sendImage : control.sendFile
      return { messageId: send(action.chatId, action.personId, file) }
    }
    case 'press':
      return await press(action, control)
    case 'recall':
      control.recall(action.messageId, action.personId)
      return {}
    case 'direct': {
      const chatId = control.openDirect(action.personId, deps.appId)
      return { chatId }
    }
    default:
      return action satisfies never
  }
}

async function press(
  action: Extract<PlaygroundAction, { type: 'press' }>,
  control: FeishuControl,
): Promise<PlaygroundOutcome> {
  const card = objectOf(control.message(action.messageId)?.content)
  const placed = components(card)[Number(action.buttonId)]
  if (placed?.node['tag'] !== 'button') {
    throw new AppError('playground.gone', 'the card has changed; this button is gone', {
      hint: 'look at the card again',
    })
  }
  const inForm = placed.inside.some((node) => node['tag'] === 'form')
  const outcome = await control.click({
    userId: action.personId,
    messageId: action.messageId,
    on: handleOf(placed),
    ...(inForm ? { form: action.form } : {}),
  })
  if (outcome.toast) return { toast: { tone: outcome.toast.type, text: outcome.toast.content } }
  return outcome.code === undefined ? {} : { toast: { tone: 'error', text: `code: ${outcome.code}` } }
}

/** What the control API finds this button by: its own name if it has one, its value, its label. */
function handleOf({ node }: Placed): string | JsonObject {
  const own = textOf(node['element_id']) || textOf(node['name'])
  if (own !== '') return own
  const callback = arrayOf(node['behaviors'])
    .map(objectOf)
    .find(({ type }) => type === 'callback')
  const value = callback?.['value'] ?? node['value']
  return isObject(value) && Object.keys(value).length > 0 ? value : contentOf(node['text'])
}
