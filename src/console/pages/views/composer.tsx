import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PlaygroundPerson } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { completeMention, type MentionQuery, matchMembers, mentionAt, toParts } from '../draft.ts'
import { type Chat, chatKeyOf } from '../page-state.ts'
import { formatBytes } from '../text.ts'
import type { TextKey } from '../texts/zh-cn.ts'
import { Avatar } from './avatar.tsx'
import { summaryOf } from './chat-list.tsx'
import { Icon } from './icons.tsx'
import { MentionMenu } from './mention-menu.tsx'
import { PersonMenu } from './person-menu.tsx'

const SUGGESTIONS: readonly TextKey[] = ['suggestion.report', 'suggestion.command', 'suggestion.help']

/** Where people write. One draft per chat, kept while the page is open. */
export function Composer({ chat }: { readonly chat: Chat }) {
  const store = useStore()
  const t = useText()
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useDraft(chat)
  const [files, setFiles] = useState<readonly File[]>([])
  const [sending, setSending] = useState(false)
  const [mention, setMention] = useState<(MentionQuery & { readonly chosen: number }) | undefined>(undefined)
  const matches = mention ? matchMembers(chat.members, mention.query) : []

  useLayoutEffect(() => {
    if (!box.current) return
    box.current.style.height = 'auto'
    box.current.style.height = `${box.current.scrollHeight}px`
  }, [text])

  const watchMention = (): void => {
    const { value = '', selectionStart = 0 } = box.current ?? {}
    const found = chat.kind === 'group' ? mentionAt(value, selectionStart) : undefined
    setMention(
      found && matchMembers(chat.members, found.query).length > 0 ? { ...found, chosen: 0 } : undefined,
    )
  }
  const complete = (member: PlaygroundPerson): void => {
    if (!mention) return
    const next = completeMention(text, mention, member.name)
    setText(next.text)
    setMention(undefined)
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(next.caret, next.caret)
    })
  }
  const submit = async (): Promise<void> => {
    const trimmed = text.trim()
    if (sending || (trimmed === '' && files.length === 0)) return
    setSending(true)
    const sent = await store.send(toParts(trimmed, chat.members), files)
    setSending(false)
    if (!sent) return
    setText('')
    setFiles([])
  }
  const suggest = (key: TextKey): void => {
    const bot = chat.kind === 'group' ? chat.members.find(({ role }) => role === 'bot') : undefined
    void store.send([...(bot ? [{ at: bot.id }, ' '] : []), t(key)], [])
  }
  const addFiles = (added: Iterable<File>): void => {
    const limit = store.state.value?.uploadBytes ?? 0
    const all = [...added]
    for (const { name } of all.filter(({ size }) => size > limit)) {
      store.toasts.show('warning', t('composer.tooLarge', { name, limit: formatBytes(limit) }))
    }
    setFiles((old) => [...old, ...all.filter(({ size }) => size <= limit)])
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (
      mention &&
      onMentionKey(event, mention.chosen, matches, setChosen, complete, () => setMention(undefined))
    )
      return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void submit()
    }
  }
  const setChosen = (chosen: number): void => setMention((old) => old && { ...old, chosen })

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        addFiles(event.dataTransfer?.files ?? [])
      }}
    >
      <div class="composer-top">
        <PersonMenu chat={chat} />
        {text === '' && files.length === 0 ? (
          <fieldset class="suggestions" aria-label={t('composer.suggestions')}>
            {SUGGESTIONS.map((key) => (
              <button key={key} type="button" class="suggestion" onClick={() => suggest(key)}>
                {t(key)}
              </button>
            ))}
          </fieldset>
        ) : null}
      </div>
      <div class="composer-box">
        <QuoteStrip />
        <FileStrip files={files} remove={(file) => setFiles((old) => old.filter((one) => one !== file))} />
        {mention ? <MentionMenu matches={matches} chosen={mention.chosen} choose={complete} /> : null}
        <div class="composer-row">
          <textarea
            id="message"
            ref={box}
            rows={1}
            value={text}
            title={t('composer.hint')}
            aria-label={t('composer.label')}
            placeholder={t(chat.kind === 'group' ? 'composer.placeholder' : 'composer.placeholderDirect')}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
              watchMention()
            }}
            onClick={watchMention}
            onKeyDown={onKeyDown}
            onPaste={({ clipboardData }) => addFiles(clipboardData?.files ?? [])}
          />
          {chat.kind === 'group' ? <MentionButton box={box} setText={setText} after={watchMention} /> : null}
          <AttachButton add={addFiles} />
          <button
            type="submit"
            class="send"
            aria-label={t('composer.send')}
            title={t('composer.hint')}
            disabled={sending || (text.trim() === '' && files.length === 0)}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  )
}

/** Arrow keys, Enter, Tab and Escape while the list of members is open. True when the key was for it. */
function onMentionKey(
  event: KeyboardEvent,
  chosen: number,
  matches: readonly PlaygroundPerson[],
  setChosen: (index: number) => void,
  complete: (member: PlaygroundPerson) => void,
  close: () => void,
): boolean {
  const member = matches[chosen]
  if (event.key === 'ArrowDown') setChosen((chosen + 1) % matches.length)
  else if (event.key === 'ArrowUp') setChosen((chosen + matches.length - 1) % matches.length)
  else if (event.key === 'Escape') close()
  else if ((event.key === 'Enter' || event.key === 'Tab') && member) complete(member)
  else return false
  event.preventDefault()
  return true
}

function useDraft(chat: Chat): [string, (text: string) => void] {
  const key = chatKeyOf(chat)
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  return [drafts[key] ?? '', (text) => setDrafts((old) => ({ ...old, [key]: text }))]
}

interface MentionButtonProps {
  readonly box: { readonly current: HTMLTextAreaElement | null }
  readonly setText: (text: string) => void
  readonly after: () => void
}

function MentionButton({ box, setText, after }: MentionButtonProps) {
  const t = useText()
  const onClick = (): void => {
    const area = box.current
    if (!area) return
    const before = area.value.slice(0, area.selectionStart)
    area.focus()
    area.setRangeText(/\w$/.test(before) ? ' @' : '@', area.selectionStart, area.selectionEnd, 'end')
    setText(area.value)
    after()
  }
  return (
    <button
      type="button"
      class="quiet"
      aria-label={t('composer.mention')}
      title={t('composer.mention')}
      onClick={onClick}
    >
      <Icon name="at" />
    </button>
  )
}

function AttachButton({ add }: { readonly add: (files: Iterable<File>) => void }) {
  const t = useText()
  return (
    <label class="quiet attach" title={t('composer.attach')}>
      <Icon name="attach" />
      <input
        type="file"
        multiple
        aria-label={t('composer.attach')}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

function QuoteStrip() {
  const { quote } = useStore()
  const t = useText()
  const message = quote.value
  if (!message) return null
  return (
    <div class="strip">
      <Avatar person={message.from} small />
      <span class="strip-text">
        <strong>{t('composer.quoting', { name: message.from.name })}</strong> {summaryOf(message, t)}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={t('composer.cancelQuote')}
        onClick={() => {
          quote.value = undefined
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}

function FileStrip({
  files,
  remove,
}: {
  readonly files: readonly File[]
  readonly remove: (file: File) => void
}) {
  const t = useText()
  return files.map((file) => (
    <div key={`${file.name}/${file.lastModified}`} class="strip">
      <Icon name="file" />
      <span class="strip-text">
        {file.name} <small>{formatBytes(file.size)}</small>
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={t('composer.removeFile', { name: file.name })}
        onClick={() => remove(file)}
      >
        <Icon name="close" />
      </button>
    </div>
  ))
}
