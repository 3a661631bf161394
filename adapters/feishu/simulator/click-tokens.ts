import { Refusal } from './refusal.ts'
import type { State } from './state.ts'

const lifeMs = 30 * 60_000
const maxUses = 2

interface ClickToken {
  readonly appId: string
  readonly messageId: string
  readonly at: number
  uses: number
  answered: boolean
}

/** Credentials of delayed card updates: 30 minutes, two uses, only after the callback was answered. */
export interface ClickTokens {
  issue(appId: string, messageId: string): string
  answered(token: string): void
  /** Spends one use and returns the message; refuses with 300020, 300030, 300040 or 200310. */
  spend(appId: string, token: string): string
}

/** Starts without tokens; their half hour runs by the clock of `state`. */
export function createClickTokens(state: State): ClickTokens {
  const tokens = new Map<string, ClickToken>()
  return {
    issue: (appId, messageId) => {
      const token = state.ids.make('c-', 40)
      tokens.set(token, { appId, messageId, at: state.clock.monotonic(), uses: 0, answered: false })
      return token
    },
    answered: (token) => {
      const entry = tokens.get(token)
      if (entry) entry.answered = true
    },
    spend: (appId, token) => {
      const entry = tokens.get(token)
      if (!entry) throw new Refusal(300020, 'token format is invalid')
      if (entry.appId !== appId) throw new Refusal(200310, 'the card belongs to another app')
      if (!entry.answered) throw new Refusal(300090, 'the callback has not been answered yet')
      if (state.clock.monotonic() - entry.at >= lifeMs) throw new Refusal(300030, 'token expired')
      if (entry.uses >= maxUses) throw new Refusal(300040, 'token has been used twice')
      entry.uses++
      return entry.messageId
    },
  }
}
