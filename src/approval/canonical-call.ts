/**
 * One canonical text per exact call, and its SHA-256. Two calls have the same digest only if nothing
 * that could change their effect differs; that is what an approval binds to.
 */
import { createHash } from 'node:crypto'
import { type Address, sessionKey } from '../protocol/address.ts'
import type { BoundCall } from '../protocol/tool.ts'

/** Raised when the canonical form changes: old approvals then no longer match, and are asked again. */
const VERSION = 1

export interface CallScope {
  readonly sessionId: string
  readonly callId: string
  readonly address: Address
}

export interface CanonicalCall {
  /** JSON with sorted keys; stored in the row. */
  readonly json: string
  readonly digest: string
  /** The same without the call's own id: recognises a request that is merely repeated. */
  readonly sameness: string
}

/** Builds the canonical form; every field of the call is in it, absent ones as null. */
export function canonicalCall(bound: BoundCall, scope: CallScope): CanonicalCall {
  const body = {
    v: VERSION,
    tool: bound.tool,
    args: bound.args ?? null,
    command: bound.command ?? null,
    cwd: bound.cwd ?? null,
    cwdId: bound.cwdId ?? null,
    env: bound.env ?? {},
    timeoutMs: bound.timeoutMs ?? null,
    sandboxProfile: bound.sandboxProfile ?? null,
    paths: bound.paths ?? [],
    files: bound.files ?? {},
    ...(bound.url === undefined ? {} : { url: bound.url }),
    ...(bound.definition === undefined ? {} : { definition: bound.definition }),
    chat: sessionKey(scope.address),
    session: scope.sessionId,
  }
  const json = JSON.stringify(sorted({ ...body, callId: scope.callId }))
  return { json, digest: sha256(json), sameness: sha256(JSON.stringify(sorted(body))) }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
