import { useSignalEffect } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import type { PlaygroundMessage } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { type Chat, chatKeyOf } from '../page-state.ts'
import type { Texts } from '../text.ts'
import { Avatar } from './avatar.tsx'
import { platformName } from './chat-list.tsx'
import { Composer } from './composer.tsx'
import { Icon } from './icons.tsx'
import { Message, TypingDots } from './message.tsx'

/** The chat in the middle. */
export function Conversation() {
  const { current } = useStore()
  const t = useText()
  const chat = current.value
  return (
    <main class="conversation" aria-label={t('pane.chat')}>
      {chat ? (
        <>
          <ConversationHead chat={chat} />
          <Messages key={chatKeyOf(chat)} chat={chat} />
          {chat.closed ? <p class="notice closed">{t('chat.closed')}</p> : <Composer chat={chat} />}
        </>
      ) : (
        <p class="empty">{t('chat.select')}</p>
      )}
    </main>
  )
}

function ConversationHead({ chat }: { readonly chat: Chat }) {
  const { pane, person, openDirect } = useStore()
  const t = useText()
  const people = chat.kind === 'direct' ? t('chat.direct') : t('chat.members', { count: chat.members.length })
  const directLabel = t('chat.openDirect', { name: person.value?.name ?? '' })
  return (
    <div class="conversation-head">
      <button
        type="button"
        class="quiet phone-only"
        aria-label={t('pane.back')}
        onClick={() => {
          pane.value = 'chats'
        }}
      >
        <Icon name="back" />
      </button>
      <div class="conversation-title">
        <h1>{chat.title}</h1>
        <p>
          {platformName(chat.platform, t)} · {people}
        </p>
      </div>
      <div class="conversation-members" aria-hidden="true">
        {chat.members.slice(0, 5).map((member) => (
          <Avatar key={member.id} person={member} small />
        ))}
      </div>
      {chat.kind === 'group' ? (
        <button
          type="button"
          class="quiet"
          aria-label={directLabel}
          title={directLabel}
          onClick={() => void openDirect()}
        >
          <Icon name="chat" />
        </button>
      ) : null}
      <button
        type="button"
        class="quiet phone-only"
        aria-label={t('pane.inspector')}
        onClick={() => {
          pane.value = 'inspector'
        }}
      >
        <Icon name="inspector" />
      </button>
    </div>
  )
}

/** Near enough to the end to count as reading along, pixels. */
const AT_END_PX = 80

/** One per chat: where somebody has scrolled to in one is nothing to another, which opens at its newest message. */
function Messages({ chat }: { readonly chat: Chat }) {
  const store = useStore()
  const t = useText()
  const list = useRef<HTMLDivElement>(null)
  const follow = useRef(true)
  const known = useRef(0)
  const [away, setAway] = useState(false)
  const toEnd = (): void => {
    follow.current = true
    setAway(false)
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }
  useSignalEffect(() => {
    const { messages } = store.thread.value
    // An answer may have come with it, or before the next frame.
    const own = messages.slice(known.current).some(({ from }) => from.id === store.person.peek()?.id)
    known.current = messages.length
    void store.current.value
    void store.runs.value
    void store.pane.value
    requestAnimationFrame(() => {
      if (follow.current || own) toEnd()
      else setAway(true)
    })
  })
  const onScroll = (): void => {
    const box = list.current
    if (!box) return
    follow.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX
    if (follow.current) setAway(false)
  }
  const { messages, omitted, loaded } = store.thread.value
  return (
    <div class="messages-frame">
      <div
        class="messages"
        ref={list}
        onScroll={onScroll}
        // A picture has its height only when it is there.
        onLoadCapture={() => {
          if (follow.current) toEnd()
        }}
        role="log"
        aria-live="polite"
        aria-label={chat.title}
      >
        {omitted > 0 ? <p class="notice">{t('chat.omitted', { count: omitted })}</p> : null}
        {loaded && messages.length === 0 ? <p class="empty">{t('chat.empty')}</p> : null}
        {messages.map((message, i) => (
          <Entry key={message.id} message={message} previous={messages[i - 1]} />
        ))}
        <Working chat={chat} />
      </div>
      {away ? (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" /> {t('chat.newest')}
        </button>
      ) : null}
    </div>
  )
}

interface EntryProps {
  readonly message: PlaygroundMessage
  readonly previous: PlaygroundMessage | undefined
}

const JOIN_MS = 3 * 60_000

function Entry({ message, previous }: EntryProps) {
  const { texts } = useStore()
  const day = dayOf(message.sentAt, texts)
  const sameDay = previous !== undefined && dayOf(previous.sentAt, texts) === day
  const joined =
    sameDay &&
    previous.from.id === message.from.id &&
    !previous.recalled &&
    previous.content.type !== 'notice' &&
    message.sentAt - previous.sentAt < JOIN_MS
  return (
    <>
      {sameDay ? null : <p class="day">{day}</p>}
      <Message message={message} joined={joined} />
    </>
  )
}

function dayOf(at: number, { t, language }: Texts): string {
  const date = new Date(at)
  const today = new Date()
  if (date.toDateString() === today.toDateString()) return t('message.today')
  today.setDate(today.getDate() - 1)
  if (date.toDateString() === today.toDateString()) return t('message.yesterday')
  return new Intl.DateTimeFormat(language.value, { month: 'long', day: 'numeric', weekday: 'short' }).format(
    date,
  )
}

/** Messages at the end in which a running answer would be seen. */
const RECENT = 4

/** Says that a run goes on when no message of the bot shows it. */
function Working({ chat }: { readonly chat: Chat }) {
  const { runs, thread } = useStore()
  const t = useText()
  const bot = chat.members.find(({ role }) => role === 'bot')
  const state = runs.value[0]?.state
  const shown = thread.value.messages.slice(-RECENT).some(({ streaming }) => streaming)
  if (!bot || !(state === 'waiting' || (state === 'running' && !shown))) return null
  return (
    <div class="working">
      <Avatar person={bot} small />
      <span>{t(state === 'running' ? 'message.working' : 'message.waiting', { name: bot.name })}</span>
      {state === 'running' ? <TypingDots label="" /> : null}
    </div>
  )
}
