/**
 * Proof that a request comes from Feishu, on the raw bytes and with `now` as a parameter. The SDK's
 * dispatcher is not used: it signs re-serialised JSON, checks neither age, token nor app id, and takes
 * plain bodies. This file knows signatures and the challenge; it does not know what an event means.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { RawRequest } from '../../../src/protocol/adapter.ts'
import { createOpener, decodeSealed, decrypt, deriveKey } from './decrypt.ts'

/** What a request must be proven with. */
export interface WebhookKeys {
  readonly appId: string
  /** Current key first, then the one that is being rotated out. */
  readonly encryptKeys: readonly string[]
  /** Wall time from which only the current one is good; milliseconds. */
  readonly previousUntil?: number
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

const DIGEST_HEX = 64

const challengeSchema = z.looseObject({
  type: z.literal('url_verification'),
  challenge: z.string().min(1),
  token: z.string(),
})
/** What is worked out once from {@link WebhookKeys}, since every event needs it. */
interface Keys {
  readonly appId: string
  readonly verificationToken: Buffer
  readonly encryption: readonly {
    readonly text: string
    readonly aes: Buffer
    /** Opens what is signed with this key. */
    readonly open: (bytes: Buffer) => string | undefined
  }[]
}

/** Makes the check of one request; `now` in milliseconds. Fields beside `encrypt` are never looked at. */
export function createVerifier(given: WebhookKeys): (request: RawRequest, now: number) => Verdict {
  const keys: Keys = {
    appId: given.appId,
    verificationToken: Buffer.from(given.verificationToken),
    encryption: given.encryptKeys.map((text) => {
      const aes = deriveKey(text)
      return { text, aes, open: createOpener(aes) }
    }),
  }
  const { previousUntil = Number.POSITIVE_INFINITY } = given
  const current: Keys = { ...keys, encryption: keys.encryption.slice(0, 1) }
  return (request, now) => checkShape(request) ?? prove(request, now < previousUntil ? keys : current, now)
}

function prove(request: RawRequest, keys: Keys, now: number): Verdict {
  const headers = signatureHeaders(request)
  if (!headers) return refused('signature header sent twice')
  const { signature, timestamp, nonce } = headers
  if (!signature && !timestamp && !nonce) {
    const encrypted = encryptedText(request.body)
    if (encrypted === undefined) return refused('unsigned request without encryption')
    return verifyUnsignedChallenge(encrypted, keys)
  }
  if (!signature || !timestamp || !nonce) return refused('signature header missing')
  if (!isFresh(timestamp, now)) return refused('timestamp is not within five minutes of our clock')
  const key = keys.encryption.find(({ text }) =>
    isSignedWith(text, { signature, timestamp, nonce, body: request.body }),
  )
  if (key === undefined) return refused('signature does not match the body')
  const sealed = sealedBytes(request.body)
  if (sealed === 'none') return refused('body is not encrypted although an Encrypt Key is set')
  const payload = parseJson(sealed && key.open(sealed))
  if (payload === undefined) return refused('encrypted text cannot be opened')
  return judge(payload, keys)
}

/** The body as it nearly always is: this, base64, that. */
const HEAD = '{"encrypt":"'
const TAIL = '"}'

/** The bytes that are in `encrypt`; undefined when it is no whole blocks in base64, `none` when nothing is there. */
function sealedBytes(body: Buffer): Buffer | undefined | 'none' {
  const end = body.length - TAIL.length
  if (body.toString('latin1', 0, HEAD.length) === HEAD && body.toString('latin1', end) === TAIL) {
    const text = body.toString('latin1', HEAD.length, end)
    // What is base64 from the first sign to the last has nothing in it that JSON would read otherwise. Any
    // other sign makes the bytes too few, as long as the signs come in fours.
    const bytes = text.length % 4 === 0 ? decodeSealed(text) : undefined
    if (bytes) return bytes
  }
  const encrypted = encryptedText(body)
  return encrypted === undefined ? 'none' : decodeSealed(encrypted)
}

function encryptedText(body: Buffer): string | undefined {
  const outer = parseJson(body.toString('utf8'))
  if (typeof outer !== 'object' || outer === null || !('encrypt' in outer)) return undefined
  return typeof outer.encrypt === 'string' && outer.encrypt !== '' ? outer.encrypt : undefined
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
function verifyUnsignedChallenge(encrypted: string, keys: Keys): Verdict {
  for (const { aes } of keys.encryption) {
    const payload = parseJson(decrypt(encrypted, aes))
    if (challengeSchema.safeParse(payload).success) return judge(payload, keys)
  }
  return refused('unsigned request that is not an address check')
}

function judge(payload: unknown, keys: Keys): Verdict {
  const header = headerOf(payload)
  // Building the schema's complaint about every event would cost more than all other checks.
  const challenge = header === undefined ? challengeSchema.safeParse(payload) : undefined
  if (challenge?.success) {
    if (!equal(challenge.data.token, keys.verificationToken))
      return refused('address check with another token')
    if (challenge.data.challenge.length > MAX_CHALLENGE) return refused('challenge is longer than 1 KiB')
    return { type: 'challenge', challenge: challenge.data.challenge }
  }
  if (!header) {
    return { type: 'refused', status: 400, reason: 'signed body is not an event of schema 2.0' }
  }
  if (header.appId !== keys.appId) {
    return { type: 'refused', status: 403, reason: 'event is addressed to another app' }
  }
  if (!equal(header.token, keys.verificationToken)) {
    return refused('event carries another verification token')
  }
  return { type: 'event', payload }
}

/** App and token of an event of schema 2.0; null for one that is misshapen; undefined for anything else. */
function headerOf(payload: unknown): { appId: string; token: string } | null | undefined {
  if (typeof payload !== 'object' || payload === null || !('header' in payload)) return undefined
  const { header } = payload
  if (!('schema' in payload) || payload.schema !== '2.0') return null
  if (typeof header !== 'object' || header === null || !('app_id' in header) || !('token' in header))
    return null
  const { app_id: appId, token } = header
  return typeof appId === 'string' && typeof token === 'string' ? { appId, token } : null
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
  if (signed.signature.length !== DIGEST_HEX) return false
  const head = Buffer.from(signed.timestamp + signed.nonce + key, 'utf8')
  // One call over joined bytes: an object for the hash would cost more than the hash.
  const expected = Buffer.from(hash('sha256', Buffer.concat([head, signed.body]), 'hex'), 'latin1')
  const given = Buffer.from(signed.signature.toLowerCase(), 'latin1')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Constant time for equal lengths; the lengths themselves are no secret. */
function equal(given: string, expected: Buffer): boolean {
  const bytes = Buffer.from(given)
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
