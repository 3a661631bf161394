/** Who may query the company's approval forms. Decided by code on platform ids, before any call. */
import type { UserKey } from '../../protocol/address.ts'
import type { ToolContext } from '../../protocol/tool.ts'

/** `all` forms, only one's `own`, or `none`. */
export type ApprovalScope = 'all' | 'own' | 'none'

/** The scope of a requester; must answer `none` for anyone unknown. */
export type ApprovalRule = (requester: UserKey) => ApprovalScope

/**
 * What a call may see. When several people's messages are in the run, only what each of them may see anyway:
 * nobody reads with the eyes of whoever's run he joined. `mixed`: nothing is left of that.
 */
export function scopeOf(
  rule: ApprovalRule,
  { requester, others = [] }: Pick<ToolContext, 'requester' | 'others'>,
): ApprovalScope | 'mixed' {
  if (others.length === 0) return rule(requester)
  return [requester, ...others].every((user) => rule(user) === 'all') ? 'all' : 'mixed'
}

/** Platform ids without case: WeCom compares them so. */
export function isSame(a: UserKey, b: UserKey): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
