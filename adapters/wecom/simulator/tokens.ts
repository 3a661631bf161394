/** gettoken and the checks that every token-bearing call passes (doc 91039, 90313). */
import type { CorpApp } from './corp.ts'
import { HOUR_MS, MINUTE_MS } from './rates.ts'
import { refuse } from './refusal.ts'
import type { World } from './world.ts'

export interface Tokens {
  /** The body of a gettoken answer, `errcode` excepted. */
  issue(corpId: string | null, secret: string | null): { access_token: string; expires_in: number }
  /** The app that the token belongs to; refuses what may not call. */
  check(token: string | null): CorpApp
  invalidate(agentId: number): void
}

interface Token {
  value: string
  agentId: number
  expiresAt: number
  dead: boolean
}

const LIFE_SEC = 7200
/** The real number of wrong secrets that bans an address is unpublished. */
const WRONG_SECRETS_MAX = 20

export function createTokens(world: World): Tokens {
  const tokens = new Map<string, Token>()
  const bannedUntil = new Map<string, number>()
  const rules = [{ windowMs: MINUTE_MS, max: WRONG_SECRETS_MAX }]

  const wrongSecret = (): never => {
    const ip = world.callerIp
    if (!world.rates.hit(`secret:${ip}`, rules)) bannedUntil.set(ip, world.clock.monotonic() + HOUR_MS)
    throw refuse(40001)
  }
  const living = (agentId: number): Token | undefined =>
    [...tokens.values()].find(
      (one) => one.agentId === agentId && !one.dead && one.expiresAt > world.clock.now(),
    )

  return {
    issue: (corpId, secret) => {
      if ((bannedUntil.get(world.callerIp) ?? 0) > world.clock.monotonic()) throw refuse(45009)
      if (corpId !== world.org.corp.corpId) throw refuse(40013)
      const app = world.org.corp.apps.find((one) => one.secret === secret)
      if (!app) return wrongSecret()
      const now = world.clock.now()
      const old = world.settings.sameToken ? living(app.agentId) : undefined
      const expiresAt = old?.expiresAt ?? now + LIFE_SEC * 1000
      const value = old?.value ?? `tok_${world.random.id(40)}`
      tokens.set(value, { value, agentId: app.agentId, expiresAt, dead: false })
      return { access_token: value, expires_in: Math.floor((expiresAt - now) / 1000) }
    },
    check: (value) => {
      if (value === null || value === '') throw refuse(41001)
      const token = tokens.get(value)
      if (!token || token.dead) throw refuse(40014)
      if (token.expiresAt <= world.clock.now()) throw refuse(42001)
      const app = world.org.app(token.agentId)
      if (!app || app.disabled) throw refuse(50003)
      if (app.trustedIps && !app.trustedIps.includes(world.callerIp)) throw refuse(60020)
      return app
    },
    invalidate: (agentId) => {
      for (const token of tokens.values()) if (token.agentId === agentId) token.dead = true
    },
  }
}
