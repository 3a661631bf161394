/** The nouns of an API route: what it is given, what it may answer. */
import type { IncomingHttpHeaders } from 'node:http'
import type { CorpApp } from './corp.ts'
import { refuse } from './refusal.ts'

export interface ApiCall {
  query: URLSearchParams
  headers: IncomingHttpHeaders
  raw: Buffer
  /** The JSON body; refuses with 40058 when it is none. */
  json(): unknown
}

/** A download instead of JSON. */
export interface Download {
  name: string
  bytes: Uint8Array
}

interface RouteBase {
  method: 'GET' | 'POST'
  /** Calls a minute; refused with 45009 beyond. */
  perMinute?: number
}

/** `open` routes need no token; others get the app that the token belongs to. */
export type Route =
  | (RouteBase & { access: 'open'; run: (call: ApiCall) => object | Download })
  | (RouteBase & { access: 'app'; run: (call: ApiCall, app: CorpApp) => object | Download })

/** Routes by path below `/cgi-bin/`. */
export type Routes = Record<string, Route>

export const isDownload = (answer: object): answer is Download =>
  'bytes' in answer && answer.bytes instanceof Uint8Array

/** Parses a JSON body late, so that a GET route never trips over an empty one. */
export function jsonOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    throw refuse(40058, 'the body is not JSON')
  }
}
