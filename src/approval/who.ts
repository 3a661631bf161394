import { clipText, showText } from '../policy/command/visible-text.ts'
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

/** Who asked. */
export function requestedBy(row: ApprovalRow): string {
  return personName(row.requester, requestOf(row).requesterName)
}
