import { showText } from '../policy/command/visible-text.ts'
import type { UserKey } from '../protocol/address.ts'
import { clipText } from '../protocol/clip-text.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { requestOf } from './request.ts'

const MAX_NAME_CHARS = 60

/** A person for people: the name if there is one, else the id behind the platform. Names are untrusted. */
export function personName(user: string, name: string | null): string {
  return clipText(
    showText(name !== null && name !== '' ? name : user.slice(user.indexOf(':') + 1)),
    MAX_NAME_CHARS,
  )
}

/** Who settled the row. */
export function decidedBy(row: ApprovalRow): string {
  return personName(row.decided_by ?? '', row.decided_name)
}

/** Who asked: everybody whose words were in the run. */
export function requestedBy(row: ApprovalRow, text: Translate): string {
  const { requesterName, others } = requestOf(row)
  return [{ user: row.requester, name: requesterName }, ...others]
    .map(({ user, name }) => personName(user, name))
    .join(text('approval.card.separator'))
}

/** Everybody whose request it is, the one whose run it is first. */
export function requestersOf(row: ApprovalRow): readonly UserKey[] {
  return [row.requester, ...requestOf(row).others.map(({ user }) => user)] as UserKey[]
}
