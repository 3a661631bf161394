import type { PlaygroundPerson } from '../../../protocol/playground.ts'
import { Icon, Seal } from './icons.tsx'

const HUES = 8

/** A person's sign: the last characters of the name on a colour that stays theirs. */
export function Avatar({
  person,
  small = false,
}: {
  readonly person: PlaygroundPerson
  readonly small?: boolean
}) {
  const size = small ? 'avatar small' : 'avatar'
  if (person.role === 'bot') {
    return (
      <span class={`${size} bot`} aria-hidden="true">
        <Seal />
      </span>
    )
  }
  return (
    <span class={`${size} hue-${hueOf(person.id)}`} aria-hidden="true">
      {person.name ? initials(person.name) : <Icon name="person" />}
    </span>
  )
}

function initials(name: string): string {
  const characters = [...name.trim()]
  if (/^[\x20-\x7e]+$/.test(name)) {
    return name
      .split(/\s+/)
      .map((word) => word.charAt(0))
      .slice(0, 2)
      .join('')
      .toUpperCase()
  }
  return characters.slice(-2).join('')
}

function hueOf(text: string): number {
  let sum = 7
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return sum % HUES
}
