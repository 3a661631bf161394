/**
 * Proof that a request comes from Feishu, on the raw bytes and with `now` as a parameter. The SDK's
 * dispatcher is not used: it signs re-serialised JSON, checks neither age, token nor app id, and takes
 * plain bodies. This file knows signatures and the challenge; it does not know what an event means.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { RawRequest } from '../../../src/protocol/adapter.ts'
import { decrypt } from './decrypt.ts'

/** What a request must be proven with. */
export interface WebhookKeys {
  readonly appId: string
  /** Current key first, then the one that is being rotated out. */
  readonly encryptKeys: readonly string[]
  readonly verificationToken: string
}

/** What a request turned out to be. */
export type Verdict =
  | { readonly type: 'event'; readonly payload: unknown }
  | { readonly type: 'challenge'; readonly challenge: string }
  /** `reason` is for the log; every 401 has the same body, so a caller learns nothing from it. */
  | { readonly type: 'refused'; readonly status: 400 | 401 | 403 | 405 | 413 | 415; readonly reason: string }

/** Events and callbacks are at most some hundred KB. */
export const WEBHOOK_BYTES = 1024 * 1024
const MAX_AGE_MS = 300_000
const MAX_CHALLENGE = 1_024

const outerSchema = z.looseObject({ encrypt: z.string().min(1) })
const challengeSchema = z.looseObject({
  type: z.literal('url_verification'),
  challenge: z.string().min(1),
  token: z.string(),
})
const headerSchema = z.looseObject({
  schema: z.literal('2.0'),
  header: z.looseObject({ app_id: z.string(), token: z.string() }),
})

/** Checks one request; `now` in milliseconds. Fields beside `encrypt` are never looked at. */
export function verify(request: RawRequest, keys: WebhookKeys, now: number): Verdict {
  const misshapen = checkShape(request)
  if (misshapen) return misshapen
  const encrypted = outerSchema.safeParse(parseJson(request.body.toString('utf8')))
  const headers = signatureHeaders(request)
  if (!headers) return refused('signature header sent twice')
  if (!headers.signature && !headers.timestamp && !headers.nonce) {
    return encrypted.success
      ? verifyUnsignedChallenge(encrypted.data.encrypt, keys)
      : refused('unsigned request without encryption')
  }
  const { signature, timestamp, nonce } = headers
  if (!signature || !timestamp || !nonce) return refused('signature header missing')
  if (!isFresh(timestamp, now)) return refused('timestamp is not within five minutes of our clock')
  const key = keys.encryptKeys.find((candidate) =>
    isSignedWith(candidate, { signature, timestamp, nonce, body: request.body }),
  )
  if (key === undefined) return refused('signature does not match the body')
  if (!encrypted.success) return refused('body is not encrypted although an Encrypt Key is set')
  const payload = parseJson(decrypt(encrypted.data.encrypt, key))
  if (payload === undefined) return refused('encrypted text cannot be opened')
  return judge(payload, keys)
}

function checkShape(request: RawRequest): Verdict | undefined {
  if (request.method !== 'POST') return { type: 'refused', status: 405, reason: 'only POST is served' }
  if (request.body.length > WEBHOOK_BYTES) {
    return { type: 'refused', status: 413, reason: 'body is larger than 1 MiB' }
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return { type: 'refused', status: 415, reason: 'compressed bodies are not taken' }
  }
  return undefined
}

/** Feishu does not sign the address check of the console; its encryption and token are the proof. */
function verifyUnsignedChallenge(encrypted: string, keys: WebhookKeys): Verdict {
  for (const key of keys.encryptKeys) {
    const payload = parseJson(decrypt(encrypted, key))
    if (challengeSchema.safeParse(payload).success) return judge(payload, keys)
  }
  return refused('unsigned request that is not an address check')
}

function judge(payload: unknown, keys: WebhookKeys): Verdict {
  // An event has a header; building the schema's complaint about every event would cost more than its check.
  const challenge = isEvent(payload) ? undefined : challengeSchema.safeParse(payload)
  if (challenge?.success) {
    if (!equal(challenge.data.token, keys.verificationToken))
      return refused('address check with another token')
    if (challenge.data.challenge.length > MAX_CHALLENGE) return refused('challenge is longer than 1 KiB')
    return { type: 'challenge', challenge: challenge.data.challenge }
  }
  const event = headerSchema.safeParse(payload)
  if (!event.success) {
    return { type: 'refused', status: 400, reason: 'signed body is not an event of schema 2.0' }
  }
  if (event.data.header.app_id !== keys.appId) {
    return { type: 'refused', status: 403, reason: 'event is addressed to another app' }
  }
  if (!equal(event.data.header.token, keys.verificationToken)) {
    return refused('event carries another verification token')
  }
  return { type: 'event', payload }
}

function isEvent(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'header' in payload
}

function refused(reason: string): Verdict {
  return { type: 'refused', status: 401, reason }
}

/** Undefined when a header came more than once; absent headers are empty. */
function signatureHeaders(
  request: RawRequest,
): { signature: string; timestamp: string; nonce: string } | undefined {
  const { 'x-lark-signature': signature, 'x-lark-request-timestamp': timestamp } = request.headers
  const nonce = request.headers['x-lark-request-nonce']
  if (Array.isArray(signature) || Array.isArray(timestamp) || Array.isArray(nonce)) return undefined
  return { signature: signature ?? '', timestamp: timestamp ?? '', nonce: nonce ?? '' }
}

function isFresh(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= MAX_AGE_MS
}

function isSignedWith(
  key: string,
  signed: { signature: string; timestamp: string; nonce: string; body: Buffer },
): boolean {
  const expected = createHash('sha256')
    .update(signed.timestamp + signed.nonce + key, 'utf8')
    .update(signed.body)
    .digest('hex')
  return equal(expected, signed.signature)
}

/** Constant time for equal lengths; the lengths themselves are no secret. */
function equal(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
