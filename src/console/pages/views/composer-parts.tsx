/** The small parts around the message box. */
import { useStore, useText } from '../context.ts'
import { formatBytes } from '../text.ts'
import { Avatar } from './avatar.tsx'
import { summaryOf } from './chat-list.tsx'
import { Icon } from './icons.tsx'

interface MentionButtonProps {
  readonly box: { readonly current: HTMLTextAreaElement | null }
  readonly setText: (text: string) => void
  readonly after: () => void
}

/** Puts an `@` where the caret is, which opens the list of members. */
export function MentionButton({ box, setText, after }: MentionButtonProps) {
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

/** Opens the file dialogue. */
export function AttachButton({ add }: { readonly add: (files: Iterable<File>) => void }) {
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

/** The message that the next one will quote. */
export function QuoteStrip() {
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

/** Files that wait to be sent. */
export function FileStrip({
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
