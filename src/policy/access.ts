/**
 * Who may talk, who may let the agent act, who may decide. Authority is judged on platform ids and
 * configuration only: never on display names, on text, or on what a model says. Unknown means no.
 */
import type { Config } from '../config/schema.ts'
import { type Address, type UserKey, userKey } from '../protocol/address.ts'
import type { Sender } from '../protocol/inbound.ts'

/** Why somebody may not decide; a locale key `approval.refused.<reason>` exists for each. */
export type DecideRefusal = 'bot' | 'external' | 'unknown' | 'self' | 'not_approver'

/** Answers from the configuration alone, without waiting. */
export interface Access {
  /** Whether the bot answers this person here. */
  mayTalk(user: UserKey, address: Address): boolean
  /** Whether this person's runs may use tools that write, send or run. */
  mayOperate(user: UserKey, address: Address): boolean
  isAdmin(user: UserKey): boolean
  /** Everybody whose single decision counts for this request; empty means that nobody can approve. */
  approversFor(requester: UserKey, address: Address): readonly UserKey[]
  /** Judged at the moment of the click, so a change of configuration counts at once. */
  mayDecide(
    operator: Sender,
    request: { readonly requester: UserKey; readonly address: Address },
  ): { readonly ok: true } | { readonly ok: false; readonly reason: DecideRefusal }
}

/**
 * Whether somebody's message may join the run of others (`people`: everybody whose messages are in it). It
 * needs the right to operate, and it must not give a say over one's own request (C3): who may decide in this
 * run but not on his own waits for his turn. So does who would leave the run without anybody to decide on it.
 */
export function maySteer(
  access: Pick<Access, 'mayOperate' | 'approversFor'>,
  user: UserKey,
  people: readonly UserKey[],
  address: Address,
): boolean {
  if (people.includes(user)) return true
  if (!access.mayOperate(user, address)) return false
  const decidesFor = (one: UserKey): boolean =>
    access.approversFor(one, address).some((approver) => sameUser(approver, user))
  if (people.some(decidesFor) && !decidesFor(user)) return false
  return (
    approversOfAll(access, people, address).length === 0 ||
    approversOfAll(access, [...people, user], address).length > 0
  )
}

/** Who may decide on a request of several people: whoever may decide for each of them. */
export function approversOfAll(
  access: Pick<Access, 'approversFor'>,
  people: readonly UserKey[],
  address: Address,
): readonly UserKey[] {
  const [first = [], ...rest] = people.map((one) => access.approversFor(one, address))
  return first.filter((user) => rest.every((list) => list.some((other) => sameUser(other, user))))
}

/** Same person? WeCom ids are compared without case, all others exactly. `unknown:` is nobody. */
export function sameUser(a: string, b: string): boolean {
  return !isUnknown(a) && normalise(a) === normalise(b)
}

/**
 * Reads `access` and `approval`. `approvers: requester` makes every requester the one who decides;
 * otherwise `selfApproval` says whether a requester who is an approver counts for his own request.
 * Without admins (and `approvers: admins`) only the requester in a direct chat can decide.
 */
export function createAccess(config: Pick<Config, 'access' | 'approval'>): Access {
  const { admins, talk, operate } = config.access
  const isAdmin = (user: UserKey): boolean => admins.some((admin) => sameUser(admin, user))
  const approversFor = (requester: UserKey, address: Address): readonly UserKey[] => {
    if (isUnknown(requester)) return candidates(config, requester, address)
    return candidates(config, requester, address).filter(
      (user) => !sameUser(user, requester) || maySelfApprove(config, isAdmin(requester)),
    )
  }
  return {
    isAdmin,
    approversFor,
    mayTalk: (user, address) => isAdmin(user) || isListed(talk, user, address),
    mayOperate: (user, address) => !isUnknown(user) && (isAdmin(user) || isListed(operate, user, address)),
    mayDecide: (operator, { requester, address }) => {
      if (operator.isBot) return { ok: false, reason: 'bot' }
      if (operator.isExternal) return { ok: false, reason: 'external' }
      if (isUnknown(operator.user)) return { ok: false, reason: 'unknown' }
      if (approversFor(requester, address).some((user) => sameUser(user, operator.user))) return { ok: true }
      return { ok: false, reason: sameUser(operator.user, requester) ? 'self' : 'not_approver' }
    },
  }
}

function candidates(
  config: Pick<Config, 'access' | 'approval'>,
  requester: UserKey,
  address: Address,
): UserKey[] {
  const { approvers } = config.approval
  const own = isUnknown(requester) ? [] : [requester]
  if (approvers === 'requester') return own
  if (approvers !== 'admins') return approvers.map(normalise)
  if (config.access.admins.length > 0) return config.access.admins.map(normalise)
  return address.chatType === 'direct' ? own : []
}

function maySelfApprove(config: Pick<Config, 'access' | 'approval'>, requesterIsAdmin: boolean): boolean {
  const { approvers, selfApproval } = config.approval
  if (selfApproval === 'never') return false
  if (selfApproval === 'always' || approvers === 'requester') return true
  return requesterIsAdmin || (approvers === 'admins' && config.access.admins.length === 0)
}

/** Whether a list of people and chats (`chat:<bot>:<chat>`) names this person or this chat. */
export function isListed(list: 'everyone' | readonly string[], user: UserKey, address: Address): boolean {
  if (list === 'everyone') return true
  const chat = `chat:${address.botId}:${address.chatId}`
  return list.some((entry) => entry === chat || sameUser(entry, user))
}

function isUnknown(user: string): boolean {
  return !/^[^:]+:./.test(user) || user.startsWith('unknown:')
}

function normalise(user: string): UserKey {
  const colon = user.indexOf(':')
  return userKey(user.slice(0, colon), user.slice(colon + 1))
}
