/** Posts encrypted callbacks as the platform does: 5 seconds an attempt, 3 attempts in all (doc 90238, 101033). */
import { signature, unwrap, wrap } from './cipher.ts'
import type { CallbackAddress } from './corp.ts'
import type { World } from './world.ts'

export interface CallbackPost {
  to: CallbackAddress
  /** Empty for an AI bot, the corp id for an app. */
  receiveId: string
  /** The plain text to encrypt. */
  plain: string
  /** Makes the request body out of the ciphertext. */
  envelope: (encrypted: string) => string
  contentType: string
  attempts: 1 | 3
  /** For the journal. */
  who: string
  label: string
}

/** What came back, still encrypted; `undefined` when every attempt failed or the answer was empty. */
export interface CallbackAnswer {
  text: string
  /** Nonce of the request; a passive answer repeats it. */
  nonce: string
}

const ATTEMPT_MS = 5000
const VERIFY_MS = 1000

function signedUrl(world: World, to: CallbackAddress, encrypted: string, echo: boolean): string {
  const url = new URL(to.url)
  const timestamp = String(world.seconds())
  const nonce = world.random.id(8)
  url.searchParams.set('msg_signature', signature(to.token, timestamp, nonce, encrypted))
  url.searchParams.set('timestamp', timestamp)
  url.searchParams.set('nonce', nonce)
  if (echo) url.searchParams.set('echostr', encrypted)
  return url.href
}

async function within(world: World, ms: number, url: string, init: RequestInit): Promise<Response> {
  const abort = new AbortController()
  const cancel = world.clock.after(ms, () => abort.abort(new Error(`no answer within ${ms} ms`)))
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: abort.signal })
    // The body counts too: a server that sends headers and then hangs has not answered.
    const text = await response.text()
    return new Response(text === '' ? null : text, {
      status: response.status === 204 ? 200 : response.status,
    })
  } finally {
    cancel()
  }
}

export async function postCallback(world: World, post: CallbackPost): Promise<CallbackAnswer | undefined> {
  for (let attempt = 1; attempt <= post.attempts; attempt++) {
    const encrypted = wrap(post.plain, post.receiveId, post.to.aesKey, world.media.entropy(16))
    const url = signedUrl(world, post.to, encrypted, false)
    const entry = { channel: 'http-out' as const, name: post.label, who: post.who, request: post.plain }
    const close = world.journal.open(entry)
    try {
      const response = await within(world, ATTEMPT_MS, url, {
        method: 'POST',
        headers: { 'content-type': post.contentType, connection: 'close' },
        body: post.envelope(encrypted),
      })
      const text = await response.text()
      close(text === '' ? 'empty' : 'passive reply', response.status === 200 ? 0 : response.status)
      if (response.status === 200) {
        const nonce = new URL(url).searchParams.get('nonce') ?? ''
        return text.trim() === '' ? undefined : { text, nonce }
      }
    } catch (error) {
      close(error instanceof Error ? error.message : String(error), -1)
    }
  }
  return undefined
}

/** Checks signature and receiveid of a passive answer and returns its plain text; throws when they do not fit. */
export function openAnswer(
  to: CallbackAddress,
  receiveId: string,
  answer: CallbackAnswer,
  parts: { encrypted: string; signature: string; timestamp: string; nonce: string },
): string {
  if (parts.nonce !== answer.nonce) throw new Error("the nonce of the passive answer is not the request's")
  const expected = signature(to.token, parts.timestamp, parts.nonce, parts.encrypted)
  if (expected !== parts.signature) throw new Error('the signature of the passive answer does not fit')
  return unwrap(parts.encrypted, receiveId, to.aesKey)
}

/** The GET check of the admin page: the decrypted echostr as bare text within a second. */
export async function verifyUrl(world: World, to: CallbackAddress, receiveId: string): Promise<boolean> {
  const echo = String(1_616_140_317_555_161_000n + BigInt(world.media.entropy(2).readUInt16BE(0)))
  const encrypted = wrap(echo, receiveId, to.aesKey, world.media.entropy(16))
  const url = signedUrl(world, to, encrypted, true)
  const close = world.journal.open({ channel: 'http-out', name: 'echostr', request: echo })
  try {
    const response = await within(world, VERIFY_MS, url, { headers: { connection: 'close' } })
    const text = await response.text()
    close(text, response.status === 200 ? 0 : response.status)
    return response.status === 200 && text === echo
  } catch (error) {
    close(error instanceof Error ? error.message : String(error), -1)
    return false
  }
}
