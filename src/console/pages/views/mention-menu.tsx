import type { PlaygroundPerson } from '../../../protocol/playground.ts'
import { useText } from '../context.ts'
import { Avatar } from './avatar.tsx'

interface MentionMenuProps {
  readonly matches: readonly PlaygroundPerson[]
  readonly chosen: number
  readonly choose: (member: PlaygroundPerson) => void
}

/** Members that fit what stands behind the `@`. */
export function MentionMenu({ matches, chosen, choose }: MentionMenuProps) {
  const t = useText()
  return (
    <div class="menu mention-menu" role="listbox" aria-label={t('composer.mention')}>
      {matches.map((member, i) => (
        <button
          key={member.id}
          type="button"
          role="option"
          aria-selected={i === chosen}
          // The box must keep the focus, or the caret is lost before the click counts.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(member)}
        >
          <Avatar person={member} small />
          <span>{member.name}</span>
          {member.role === 'bot' ? <span class="role">{t('people.bot')}</span> : null}
        </button>
      ))}
    </div>
  )
}
