import { useState } from 'preact/hooks'
import { useStore, useText } from '../context.ts'
import type { Chat } from '../page-state.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icons.tsx'

/** Who speaks. */
export function PersonMenu({ chat }: { readonly chat: Chat }) {
  const { person, speakAs } = useStore()
  const t = useText()
  const [open, setOpen] = useState(false)
  const people = chat.members.filter(({ role }) => role !== 'bot')
  const speaker = person.value
  if (!speaker) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus left its buttons.
    <div
      class="person-menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpen(false)
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false)
      }}
    >
      <button
        type="button"
        class="speaker"
        aria-haspopup="listbox"
        aria-expanded={open}
        title={t('people.choose')}
        onClick={() => setOpen(!open)}
      >
        <Avatar person={speaker} small />
        <span>
          <span class="speaker-as">{t('people.as')}</span> <strong>{speaker.name}</strong>
        </span>
        <Icon name="down" />
      </button>
      {open ? (
        <div class="menu" role="listbox" aria-label={t('people.choose')}>
          {people.map((one) => (
            <button
              key={one.id}
              type="button"
              role="option"
              aria-selected={one.id === speaker.id}
              onClick={() => {
                speakAs(one.id)
                setOpen(false)
              }}
            >
              <Avatar person={one} small />
              <span>{one.name}</span>
              {one.role === 'admin' ? <span class="role">{t('people.admin')}</span> : null}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  )
}
