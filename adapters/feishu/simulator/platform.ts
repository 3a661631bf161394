/** What every part of the simulated open platform is handed, and the shape of an API route. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ClickTokens } from './click-tokens.ts'
import type { Delivery } from './delivery.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { JsonObject } from './json.ts'
import type { Rates } from './rate.ts'
import type { Sockets } from './sockets.ts'
import type { App, State } from './state.ts'
import type { Tokens } from './token.ts'
import type { Uuids } from './uuids.ts'

/** The parts of the simulated platform. */
export interface Platform {
  readonly state: State
  readonly journal: Journal
  readonly faults: Faults
  readonly tokens: Tokens
  readonly rates: Rates
  readonly sockets: Sockets
  readonly delivery: Delivery
  readonly uuids: Uuids
  readonly clickTokens: ClickTokens
}

/** One authenticated request. */
export interface Call {
  readonly app: App
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON, undefined when the body is none. */
  readonly body: unknown
  readonly raw: Buffer
}

/** What a route answers when it does not refuse. */
export type Reply =
  | { readonly type: 'data'; readonly data: JsonObject; readonly msg?: string }
  /** Fields beside `code` and `msg`, as older services answer. */
  | { readonly type: 'top'; readonly fields: JsonObject; readonly msg?: string }
  | { readonly type: 'file'; readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> }

/** One call of the open API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/open-apis/…/:name/…` */
  readonly path: string
  /** Any one of these permissions is enough; empty needs none. */
  readonly needs: readonly string[]
  readonly handle: (call: Call) => Reply
}

/** An answer whose fields stand under `data`. */
export function data(fields: JsonObject): Reply {
  return { type: 'data', data: fields }
}
