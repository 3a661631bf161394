import type { PlaygroundMessage } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { type Chat, chatKeyOf } from '../page-state.ts'
import { formatTime, type Texts } from '../text.ts'
import { Avatar } from './avatar.tsx'

/** Chats, platform by platform. */
export function ChatList() {
  const { state } = useStore()
  const t = useText()
  const chats = state.value?.chats ?? []
  const platforms = [...new Set(chats.map(({ platform }) => platform))]
  return (
    <nav class="chat-list" aria-label={t('pane.chats')}>
      {chats.length === 0 && state.value ? <p class="empty">{t('chats.empty')}</p> : null}
      {platforms.map((platform) => (
        <section key={platform}>
          <h2>
            <span class={`platform-dot ${platform}`} aria-hidden="true" />
            {platformName(platform, t)}
          </h2>
          <ul>
            {chats
              .filter((chat) => chat.platform === platform)
              .map((chat) => (
                <ChatEntry key={chatKeyOf(chat)} chat={chat} />
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

/** The platform's name, or its id when the page has no word for it. */
export function platformName(platform: string, t: Texts['t']): string {
  if (platform === 'feishu') return t('platform.feishu')
  return platform === 'wecom' ? t('platform.wecom') : platform
}

function ChatEntry({ chat }: { readonly chat: Chat }) {
  const store = useStore()
  const t = useText()
  const last = store.threadOf(chat).messages.at(-1)
  const unread = store.unread(chat)
  const current = store.current.value
  const isCurrent = current !== undefined && chatKeyOf(current) === chatKeyOf(chat)
  return (
    <li>
      <button
        type="button"
        class="chat-entry"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={() => store.select(chat)}
      >
        <ChatSign chat={chat} />
        <span class="chat-entry-text">
          <span class="chat-entry-title">
            <strong>{chat.title}</strong>
            {last ? <time>{formatTime(last.sentAt, store.texts.language.value)}</time> : null}
          </span>
          <span class="chat-entry-last">
            <span>{last ? `${last.from.name}: ${summaryOf(last, t)}` : ''}</span>
            {unread > 0 ? (
              <span class="unread" role="img" aria-label={t('chats.unread', { count: unread })}>
                {unread}
              </span>
            ) : null}
          </span>
        </span>
      </button>
    </li>
  )
}

/** Up to four members in a square, as group chats look; of a direct chat its person. */
function ChatSign({ chat }: { readonly chat: Chat }) {
  if (chat.kind === 'direct') {
    const [person] = chat.members.filter(({ role }) => role !== 'bot')
    return person ? <Avatar person={person} /> : null
  }
  return (
    <span class="avatar group" aria-hidden="true">
      {chat.members.slice(-4).map((member) => (
        <Avatar key={member.id} person={member} small />
      ))}
    </span>
  )
}

/** One line for the list and for quotes. */
export function summaryOf(message: PlaygroundMessage, t: Texts['t']): string {
  if (message.recalled) return t('message.recalled', { name: message.from.name })
  const { content } = message
  switch (content.type) {
    case 'text':
    case 'markdown':
    case 'notice':
      return plainOf(content.text)
    case 'card':
      return `[${t('message.card')}] ${content.card.header?.title ?? firstWords(content.card.blocks)}`
    case 'image':
      return `[${t('message.image')}]`
    default:
      return content.file.name
  }
}

function firstWords(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return plainOf(blocks.find(({ text }) => text)?.text ?? '')
}

/** Without the marks of markdown and the platforms' own tags. */
function plainOf(text: string): string {
  return text
    .slice(0, 400)
    .replace(/<\/?[a-z][^<>]{0,80}>/g, '')
    .replace(/[*_`#>]+/g, '')
    .slice(0, 120)
}
