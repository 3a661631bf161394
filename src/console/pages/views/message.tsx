import type { PlaygroundMessage } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { formatTime } from '../text.ts'
import { Avatar } from './avatar.tsx'
import { Card } from './card.tsx'
import { FileChip, ImageFile } from './file.tsx'
import { Icon, type IconName } from './icons.tsx'
import { Markdown, Mentions } from './markdown.tsx'

interface MessageProps {
  readonly message: PlaygroundMessage
  /** True when the message above is of the same person and recent: the head is left out. */
  readonly joined: boolean
}

/** One message with its sender, quote and reactions. */
export function Message({ message, joined }: MessageProps) {
  const { person, texts } = useStore()
  const t = useText()
  if (message.recalled) {
    return <p class="notice">{t('message.recalled', { name: message.from.name })}</p>
  }
  if (message.content.type === 'notice') return <p class="notice">{message.content.text}</p>
  const own = message.from.id === person.value?.id
  return (
    <div class={`message ${own ? 'own' : ''} ${joined ? 'joined' : ''}`} id={`message-${message.id}`}>
      <Avatar person={message.from} />
      <div class="message-main">
        <div class="message-head">
          <span class="message-name">{message.from.name}</span>
          {message.from.role === 'member' ? null : (
            <span class="role">{t(message.from.role === 'bot' ? 'people.bot' : 'people.admin')}</span>
          )}
          <time>{formatTime(message.sentAt, texts.language.value)}</time>
          {message.edited ? <span>{t('message.edited')}</span> : null}
        </div>
        <div class="message-row">
          <div class={`bubble ${message.content.type}`}>
            <Quote message={message} />
            <Content message={message} />
            {message.streaming ? <TypingDots label={t('message.streaming')} /> : null}
          </div>
          <MessageActions message={message} own={own} />
        </div>
        <Reactions message={message} />
      </div>
    </div>
  )
}

function Quote({ message }: { readonly message: PlaygroundMessage }) {
  const { quote } = message
  if (!quote) return null
  const jump = (): void =>
    document.getElementById(`message-${quote.messageId}`)?.scrollIntoView({ block: 'center' })
  return (
    <button type="button" class="quote" onClick={jump}>
      <strong>{quote.from}</strong> {quote.text}
    </button>
  )
}

function Content({ message }: { readonly message: PlaygroundMessage }) {
  const { content, mentions } = message
  switch (content.type) {
    case 'text':
      return (
        <p class="plain">
          <Mentions text={content.text} names={mentions} />
        </p>
      )
    case 'markdown':
      return <Markdown text={content.text} mentions={mentions} />
    case 'card':
      return <Card message={message} card={content.card} />
    case 'image':
      return <ImageFile file={content.file} alt="" />
    case 'file':
    case 'audio':
    case 'video':
      return <FileChip file={content.file} />
    case 'notice':
      return <>{content.text}</>
    default: {
      const never: never = content
      return never
    }
  }
}

export function TypingDots({ label }: { readonly label: string }) {
  return (
    <span class="typing" role="img" aria-label={label}>
      <i />
      <i />
      <i />
    </span>
  )
}

function MessageActions({ message, own }: { readonly message: PlaygroundMessage; readonly own: boolean }) {
  const store = useStore()
  const t = useText()
  const reply = (): void => {
    store.quote.value = message
    document.getElementById('message')?.focus()
  }
  return (
    <div class="message-actions">
      <button
        type="button"
        class="quiet"
        aria-label={t('message.quote')}
        title={t('message.quote')}
        onClick={reply}
      >
        <Icon name="reply" />
      </button>
      {own ? (
        <button
          type="button"
          class="quiet"
          aria-label={t('message.recall')}
          title={t('message.recall')}
          onClick={() => void store.recall(message)}
        >
          <Icon name="recall" />
        </button>
      ) : null}
    </div>
  )
}

/** Feishu's words for the signs that a bot sets; others stay words. */
const SIGNS: Readonly<Record<string, IconName>> = {
  OnIt: 'clock',
  DONE: 'check',
  OK: 'check',
  THUMBSUP: 'check',
}

function Emoji({ name }: { readonly name: string }) {
  if (name === 'Typing') return <TypingDots label={name} />
  const sign = SIGNS[name]
  return sign === undefined ? <span>{name}</span> : <Icon name={sign} />
}

function Reactions({ message }: { readonly message: PlaygroundMessage }) {
  if (message.reactions.length === 0) return null
  return (
    <ul class="reactions">
      {message.reactions.map(({ emoji, by }) => (
        <li key={emoji} title={by.join(', ')}>
          <Emoji name={emoji} />
          <span class="reaction-by">{by.join(', ')}</span>
        </li>
      ))}
    </ul>
  )
}
