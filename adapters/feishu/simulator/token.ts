/** Tenant access tokens: one lives at most two hours; within its last 30 minutes a second one joins it. */
import { arrayOf, objectOf, textOf } from './json.ts'
import { Refusal } from './refusal.ts'
import type { App, State } from './state.ts'

const renewMs = 30 * 60_000

interface Token {
  readonly value: string
  readonly appId: string
  readonly expiresAt: number
}

/** The token service. */
export interface Tokens {
  /** The answer of `tenant_access_token/internal`; refuses with 10003 or 10014. */
  issue(body: unknown): { tenant_access_token: string; expire: number }
  /** The app behind an Authorization header; refuses with 99991661, 99991663, 99991668 or 99991671. */
  appOf(authorization: string | undefined): App
  /** The app without a check, for the journal. */
  peek(authorization: string | undefined): string | undefined
  revoke(appId: string): void
  refuse(appId: string, refused: boolean): void
}

/** Starts without tokens; their life runs by the monotonic clock. */
export function createTokens(state: State): Tokens {
  const byValue = new Map<string, Token>()
  const newest = new Map<string, Token>()
  const refusedApps = new Set<string>()
  const now = (): number => state.clock.monotonic()

  const mint = (app: App): Token => {
    const token = {
      value: state.ids.make('t-', 40),
      appId: app.appId,
      expiresAt: now() + state.settings.tokenSeconds * 1000,
    }
    byValue.set(token.value, token)
    newest.set(app.appId, token)
    return token
  }
  const bearer = (authorization: string | undefined): string =>
    authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : ''

  return {
    issue: (body) => {
      const { app_id, app_secret } = objectOf(body)
      const status = state.settings.tokenErrorStatus
      if (textOf(app_id) === '' || textOf(app_secret) === '')
        throw new Refusal(10003, 'invalid param', { status })
      const app = state.apps.get(textOf(app_id))
      if (!app) throw new Refusal(10003, 'invalid app_id', { status })
      if (app.secret !== app_secret) throw new Refusal(10014, 'app secret invalid', { status })
      const last = newest.get(app.appId)
      const token = last && last.expiresAt - now() >= renewMs ? last : mint(app)
      return { tenant_access_token: token.value, expire: Math.floor((token.expiresAt - now()) / 1000) }
    },
    appOf: (authorization) => {
      const value = bearer(authorization)
      const status = 400
      if (value === '') throw new Refusal(99991661, 'Missing access token for authorization', { status })
      if (value.startsWith('u-')) throw new Refusal(99991668, 'Invalid user access token', { status })
      if (!value.startsWith('t-'))
        throw new Refusal(99991671, 'Access token must start with t- or u-', { status })
      const token = byValue.get(value)
      const app = token && token.expiresAt > now() ? state.apps.get(token.appId) : undefined
      if (!app || refusedApps.has(app.appId))
        throw new Refusal(99991663, 'Invalid access token for authorization', { status })
      return app
    },
    peek: (authorization) => byValue.get(bearer(authorization))?.appId,
    revoke: (appId) => {
      newest.delete(appId)
      for (const token of byValue.values()) if (token.appId === appId) byValue.delete(token.value)
    },
    refuse: (appId, refused) => {
      if (refused) refusedApps.add(appId)
      else refusedApps.delete(appId)
    },
  }
}

/** A request body without secrets, for the journal. */
export function withoutSecrets(body: unknown): unknown {
  if (Array.isArray(body)) return arrayOf(body).map(withoutSecrets)
  const entries = Object.entries(objectOf(body))
  if (entries.length === 0) return body
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'app_secret' || key === 'AppSecret' ? '[secret]' : value]),
  )
}
