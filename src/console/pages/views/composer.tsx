import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useStore, useText } from '../context.ts'
import { toParts } from '../draft.ts'
import { type Chat, chatKeyOf } from '../page-state.ts'
import { formatBytes } from '../text.ts'
import type { TextKey } from '../texts/zh-cn.ts'
import { AttachButton, FileStrip, MentionButton, QuoteStrip } from './composer-parts.tsx'
import { Icon } from './icons.tsx'
import { MentionMenu } from './mention-menu.tsx'
import { type MentionState, useMention } from './mention-state.ts'
import { PersonMenu } from './person-menu.tsx'

/** Where people write. One draft per chat, kept while the page is open. */
export function Composer({ chat }: { readonly chat: Chat }) {
  const { send } = useStore()
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useDraft(chat)
  const files = useFiles()
  const [sending, setSending] = useState(false)
  const mention = useMention(chat, box, setText)
  const isEmpty = text.trim() === '' && files.list.length === 0
  const submit = async (): Promise<void> => {
    if (sending || isEmpty) return
    setSending(true)
    const sent = await send(toParts(text.trim(), chat.members), files.list)
    setSending(false)
    if (!sent) return
    setText('')
    files.clear()
  }
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
        files.add(event.dataTransfer?.files ?? [])
      }}
    >
      <div class="composer-top">
        <PersonMenu chat={chat} />
        {isEmpty ? <Suggestions chat={chat} /> : null}
      </div>
      <div class="composer-box">
        <QuoteStrip />
        <FileStrip files={files.list} remove={files.remove} />
        {mention.open ? (
          <MentionMenu matches={mention.matches} chosen={mention.chosen} choose={mention.complete} />
        ) : null}
        <div class="composer-row">
          <MessageBox
            {...{ chat, box, text, setText, mention }}
            submit={() => void submit()}
            paste={files.add}
          />
          {chat.kind === 'group' ? <MentionButton box={box} setText={setText} after={mention.watch} /> : null}
          <AttachButton add={files.add} />
          <SendButton disabled={sending || isEmpty} />
        </div>
      </div>
    </form>
  )
}

interface MessageBoxProps {
  readonly chat: Chat
  readonly box: { current: HTMLTextAreaElement | null }
  readonly text: string
  readonly setText: (text: string) => void
  readonly mention: MentionState
  readonly submit: () => void
  readonly paste: (files: Iterable<File>) => void
}

/** Grows with its text. Enter sends, unless an input method or the list of members needs it. */
function MessageBox({ chat, box, text, setText, mention, submit, paste }: MessageBoxProps) {
  const t = useText()
  useLayoutEffect(() => {
    if (!box.current) return
    box.current.style.height = 'auto'
    box.current.style.height = `${box.current.scrollHeight}px`
  }, [text])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || mention.onKey(event) || event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    submit()
  }
  return (
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
        mention.watch()
      }}
      onClick={mention.watch}
      onKeyDown={onKeyDown}
      onPaste={({ clipboardData }) => paste(clipboardData?.files ?? [])}
    />
  )
}

function SendButton({ disabled }: { readonly disabled: boolean }) {
  const t = useText()
  return (
    <button
      type="submit"
      class="send"
      aria-label={t('composer.send')}
      title={t('composer.hint')}
      disabled={disabled}
    >
      <Icon name="send" />
    </button>
  )
}

const SUGGESTIONS: readonly TextKey[] = ['suggestion.report', 'suggestion.command', 'suggestion.help']

/** Sentences that the demo model understands; a click sends one to the bot. */
function Suggestions({ chat }: { readonly chat: Chat }) {
  const { send } = useStore()
  const t = useText()
  const bot = chat.kind === 'group' ? chat.members.find(({ role }) => role === 'bot') : undefined
  return (
    <fieldset class="suggestions" aria-label={t('composer.suggestions')}>
      {SUGGESTIONS.map((key) => (
        <button
          key={key}
          type="button"
          class="suggestion"
          onClick={() => void send([...(bot ? [{ at: bot.id }, ' '] : []), t(key)], [])}
        >
          {t(key)}
        </button>
      ))}
    </fieldset>
  )
}

function useDraft(chat: Chat): [string, (text: string) => void] {
  const key = chatKeyOf(chat)
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  return [drafts[key] ?? '', (text) => setDrafts((old) => ({ ...old, [key]: text }))]
}

interface Files {
  readonly list: readonly File[]
  /** Takes what is not too large, and says what is. */
  add(files: Iterable<File>): void
  remove(file: File): void
  clear(): void
}

function useFiles(): Files {
  const { state, toasts } = useStore()
  const t = useText()
  const [list, setList] = useState<readonly File[]>([])
  return {
    list,
    add: (added) => {
      const limit = state.value?.uploadBytes ?? 0
      const all = [...added]
      for (const { name } of all.filter(({ size }) => size > limit)) {
        toasts.show('warning', t('composer.tooLarge', { name, limit: formatBytes(limit) }))
      }
      setList((old) => [...old, ...all.filter(({ size }) => size <= limit)])
    },
    remove: (file) => setList((old) => old.filter((one) => one !== file)),
    clear: () => setList([]),
  }
}
