/** The list of members while a mention is being typed. */
import { useState } from 'preact/hooks'
import type { PlaygroundPerson } from '../../../protocol/playground.ts'
import { completeMention, type MentionQuery, matchMembers, mentionAt } from '../draft.ts'
import type { Chat } from '../page-state.ts'

export interface MentionState {
  readonly open: boolean
  readonly matches: readonly PlaygroundPerson[]
  readonly chosen: number
  /** Looks whether a mention is being typed where the caret is. */
  watch(): void
  complete(member: PlaygroundPerson): void
  /** True when the key was for the list. */
  onKey(event: KeyboardEvent): boolean
}

interface Box {
  readonly current: HTMLTextAreaElement | null
}

export function useMention(chat: Chat, box: Box, setText: (text: string) => void): MentionState {
  const [mention, setMention] = useState<(MentionQuery & { readonly chosen: number }) | undefined>(undefined)
  const matches = mention ? matchMembers(chat.members, mention.query) : []
  const chosen = mention?.chosen ?? 0
  const choose = (index: number): void => setMention((old) => old && { ...old, chosen: index })
  const complete = (member: PlaygroundPerson): void => {
    if (!mention || !box.current) return
    const next = completeMention(box.current.value, mention, member.name)
    setText(next.text)
    setMention(undefined)
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(next.caret, next.caret)
    })
  }
  return {
    open: mention !== undefined,
    matches,
    chosen,
    complete,
    watch: () => {
      const { value = '', selectionStart = 0 } = box.current ?? {}
      const found = chat.kind === 'group' ? mentionAt(value, selectionStart) : undefined
      const some = found && matchMembers(chat.members, found.query).length > 0
      setMention(some ? { ...found, chosen: 0 } : undefined)
    },
    onKey: (event) => {
      const member = matches[chosen]
      if (!member) return false
      if (event.key === 'ArrowDown') choose((chosen + 1) % matches.length)
      else if (event.key === 'ArrowUp') choose((chosen + matches.length - 1) % matches.length)
      else if (event.key === 'Escape') setMention(undefined)
      else if (event.key === 'Enter' || event.key === 'Tab') complete(member)
      else return false
      event.preventDefault()
      return true
    },
  }
}
