import { userKey } from '../../protocol/address.ts'
import type { Command, CommandContext } from './command.ts'

const MINUTE_MS = 60_000
const DEFAULT_MINUTES = 60
const MOST_MINUTES = 24 * 60
const END = new Set(['off', 'end', '0', '取消', '解除', '关'])
const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, m: 1, min: 1, 分: 1, 分钟: 1 },
  ...{ h: 60, 小时: 60 },
}

/** No requests for approval in this chat for a while, or requests again; for those who are asked (C20). */
export const mute: Command = async (ctx) => {
  const { deps, event, args, text } = ctx
  if (!mayMute(ctx)) return { markdown: text('command.mute_refused') }
  const minutes = minutesOf(args.join('').toLowerCase())
  if (minutes === undefined) return { markdown: text('command.mute_usage', { most: MOST_MINUTES / 60 }) }
  let markdown = minutes === 0 ? text('command.mute_off') : text('command.mute', { minutes })
  return {
    get markdown() {
      return markdown
    },
    commit: async (trx) => {
      const agoMs = Math.max(0, deps.clock.now() - ctx.receivedAt)
      const wish = { ms: minutes * MINUTE_MS, agoMs, by: event.sender.user }
      // A word that could not be carried out in time must not undo what was said since.
      if (!(await deps.approvals.mute(trx, event.address, wish))) markdown = text('command.mute_overtaken')
    },
  }
}

/** Who decides on requests of others here; in a direct chat without approvers also who decides on his own. */
function mayMute({ deps, event }: CommandContext): boolean {
  const { sender, address } = event
  const decidesFor = (requester: typeof sender.user): boolean =>
    deps.access.mayDecide(sender, { requester, address }).ok
  return (
    decidesFor(userKey('unknown', 'anybody')) || (address.chatType === 'direct' && decidesFor(sender.user))
  )
}

/** Undefined for what is no time from a minute to a day; 0 ends it. */
function minutesOf(word: string): number | undefined {
  if (word === '') return DEFAULT_MINUTES
  if (END.has(word)) return 0
  const [, digits = '', unit = ''] = /^(\d{1,4})(\D*)$/.exec(word) ?? []
  const minutes = Number(digits) * (UNITS[unit] ?? 0)
  return minutes >= 1 && minutes <= MOST_MINUTES ? minutes : undefined
}
