/** Who may query the company's approval forms. Decided by code on platform ids, before any call. */
import type { UserKey } from '../../protocol/address.ts'

/** `all` forms, only one's `own`, or `none`. */
export type ApprovalScope = 'all' | 'own' | 'none'

/** The scope of a requester; must answer `none` for anyone unknown. */
export type ApprovalRule = (requester: UserKey) => ApprovalScope

/** Platform ids without case: WeCom compares them so. */
export function isSame(a: UserKey, b: UserKey): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
