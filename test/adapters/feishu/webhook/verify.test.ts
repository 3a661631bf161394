import { describe, expect, it } from 'vitest'
import { decrypt, deriveKey } from '../../../../adapters/feishu/webhook/decrypt.ts'
import { createWebhook } from '../../../../adapters/feishu/webhook/handler.ts'
import { createVerifier, type Verdict, type WebhookKeys } from '../../../../adapters/feishu/webhook/verify.ts'
import type { RawRequest } from '../../../../src/protocol/adapter.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { fixture } from '../fixture.ts'
import { encrypt, type SealOptions, signed } from './seal.ts'

const now = 1_767_574_800_000
const seconds = (offset = 0): string => String(now / 1_000 + offset)
const keys: WebhookKeys = {
  appId: 'cli_0123456789abcdef',
  encryptKeys: ['current key', 'previous key'],
  verificationToken: 'verification-token',
}
const event = JSON.stringify(fixture('message-topic'))
const challenge = (token = 'verification-token', value = 'ajls384kdj'): string =>
  JSON.stringify({ challenge: value, token, type: 'url_verification' })
const sealed = (plain: string, key = 'current key'): string =>
  JSON.stringify({ encrypt: encrypt(plain, key) })
const request = (options: Partial<SealOptions> = {}): RawRequest =>
  signed({ key: 'current key', timestamp: seconds(), body: sealed(event), ...options })
const unsigned = (body: string): RawRequest => ({ ...request({ body }), headers: {} })

const verify = (one: RawRequest, given: WebhookKeys, at: number): Verdict => createVerifier(given)(one, at)

const reasonOf = (verdict: Verdict): string =>
  verdict.type === 'refused' ? `${verdict.status} ${verdict.reason}` : verdict.type

describe('decrypt', () => {
  it('feishu 15: opens the platform’s own test vector', () => {
    expect(decrypt('P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=', deriveKey('test key'))).toBe('hello world')
  })

  it.each([
    ['not base64', '§§§'],
    ['shorter than 32 bytes', Buffer.alloc(16).toString('base64')],
    ['not a multiple of 16', Buffer.alloc(40).toString('base64')],
    ['bad padding', Buffer.alloc(64, 9).toString('base64')],
  ])('W9: %s gives nothing', (_, text) => {
    expect(decrypt(text, deriveKey('test key'))).toBeUndefined()
  })
})

describe('verify', () => {
  it('takes what is signed and encrypted with the current key', () => {
    expect(verify(request(), keys, now)).toEqual({ type: 'event', payload: fixture('message-topic') })
  })

  it('W16: takes the key that is being rotated out, and refuses it once it is gone', () => {
    const old = request({ key: 'previous key', body: sealed(event, 'previous key') })
    expect(verify(old, keys, now).type).toBe('event')
    expect(reasonOf(verify(old, { ...keys, encryptKeys: ['current key'] }, now))).toBe(
      '401 signature does not match the body',
    )
  })

  it('W16: takes it until the set moment and refuses it from then on, without a restart', () => {
    const old = request({ key: 'previous key', body: sealed(event, 'previous key') })
    const check = createVerifier({ ...keys, previousUntil: now })
    expect(check(old, now - 1).type).toBe('event')
    expect(reasonOf(check(old, now))).toBe('401 signature does not match the body')
    expect(check(request(), now).type).toBe('event')
    const question = unsigned(sealed(challenge(), 'previous key'))
    expect(check(question, now - 1).type).toBe('challenge')
    expect(check(question, now).type).toBe('refused')
  })

  it('W3, M18: checks the raw bytes, however the JSON is laid out', () => {
    const body = ` {\n  "encrypt" : "${encrypt(event, 'current key')}"\n}\n`
    expect(verify(request({ body }), keys, now).type).toBe('event')
    const compact: RawRequest = { ...request({ body }), body: Buffer.from(sealed(event)) }
    expect(reasonOf(verify(compact, keys, now))).toBe('401 signature does not match the body')
  })

  it.each([
    ['upper case', { 'x-lark-signature': 'ABCDEF'.repeat(10) }, '401 signature does not match the body'],
    ['short', { 'x-lark-signature': 'ab' }, '401 signature does not match the body'],
    ['missing', { 'x-lark-signature': undefined }, '401 signature header missing'],
    ['twice', { 'x-lark-signature': ['a', 'a'] }, '401 signature header sent twice'],
  ])('W2: refuses a signature that is %s', (_, headers, reason) => {
    expect(reasonOf(verify(request({ headers }), keys, now))).toBe(reason)
  })

  it('W2, feishu 14: refuses a body that differs by one byte', () => {
    const good = request()
    const body = Buffer.from(good.body)
    body[20] = (body[20] ?? 0) ^ 1
    expect(reasonOf(verify({ ...good, body }, keys, now))).toBe('401 signature does not match the body')
  })

  it.each([
    [-301, false],
    [-299, true],
    [299, true],
    [301, false],
  ])('W4: a timestamp %i s away is fresh: %s', (offset, fresh) => {
    expect(verify(request({ timestamp: seconds(offset) }), keys, now).type === 'event').toBe(fresh)
  })

  it.each(['abc', '-5', '1e9', String(now), ''])('W4: refuses the timestamp %j', (timestamp) => {
    expect(verify(request({ timestamp }), keys, now)).toMatchObject({ type: 'refused', status: 401 })
  })

  it('W6: refuses plain JSON, signed or not, also the old card shape', () => {
    expect(reasonOf(verify(request({ body: event }), keys, now))).toBe(
      '401 body is not encrypted although an Encrypt Key is set',
    )
    expect(reasonOf(verify(unsigned(event), keys, now))).toBe('401 unsigned request without encryption')
    expect(reasonOf(verify(unsigned(challenge()), keys, now))).toBe('401 unsigned request without encryption')
    const oldCard = sealed(JSON.stringify({ open_id: 'ou_x', token: 't', action: { value: {} } }))
    expect(reasonOf(verify(request({ body: oldCard }), keys, now))).toBe(
      '400 signed body is not an event of schema 2.0',
    )
  })

  it('W7: never looks at fields beside encrypt', () => {
    const body = JSON.stringify({
      encrypt: encrypt(event, 'current key'),
      event: { forged: true },
      schema: '2.0',
    })
    expect(verify(request({ body }), keys, now)).toEqual({ type: 'event', payload: fixture('message-topic') })
  })

  it('W8, feishu 14: refuses another app and another token', () => {
    const other = event.replace('cli_0123456789abcdef', 'cli_ffffffffffffffff')
    expect(reasonOf(verify(request({ body: sealed(other) }), keys, now))).toBe(
      '403 event is addressed to another app',
    )
    const token = event.replace('verification-token', 'verification-tokem')
    expect(reasonOf(verify(request({ body: sealed(token) }), keys, now))).toBe(
      '401 event carries another verification token',
    )
  })

  it('W9: refuses signed text that cannot be opened', () => {
    const body = JSON.stringify({ encrypt: Buffer.alloc(64, 9).toString('base64') })
    expect(reasonOf(verify(request({ body }), keys, now))).toBe('401 encrypted text cannot be opened')
  })

  it('W9: refuses a sign within the encrypted text that JSON does not allow there', () => {
    const padded = Array.from({ length: 64 }, (_, count) => encrypt(event + ' '.repeat(count), 'current key'))
    for (const text of padded) {
      const body = `{"encrypt":"${text.slice(0, 10)}\t${text.slice(10)}"}`
      expect(reasonOf(verify(request({ body }), keys, now))).toMatch(/^401 /)
    }
  })

  it('W10: deep and hostile JSON changes no prototype and is refused fast', () => {
    const hostile = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
    const started = performance.now()
    expect(verify(request({ body: sealed(hostile) }), keys, now)).toMatchObject({
      type: 'refused',
      status: 400,
    })
    expect(performance.now() - started).toBeLessThan(1_000)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('W12: refuses large and compressed bodies and other methods', () => {
    const large: RawRequest = { ...request(), body: Buffer.alloc(1024 * 1024 + 1) }
    expect(reasonOf(verify(large, keys, now))).toBe('413 body is larger than 1 MiB')
    expect(reasonOf(verify(request({ headers: { 'content-encoding': 'gzip' } }), keys, now))).toBe(
      '415 compressed bodies are not taken',
    )
    expect(reasonOf(verify({ ...request(), method: 'GET' }, keys, now))).toBe('405 only POST is served')
  })

  it('feishu 15: answers the address check, signed or not, with either key', () => {
    const expected = { type: 'challenge', challenge: 'ajls384kdj' }
    expect(verify(request({ body: sealed(challenge()) }), keys, now)).toEqual(expected)
    expect(verify(unsigned(sealed(challenge())), keys, now)).toEqual(expected)
    expect(verify(unsigned(sealed(challenge(), 'previous key')), keys, now)).toEqual(expected)
  })

  it('W15: refuses an address check with another token or an endless challenge', () => {
    expect(reasonOf(verify(unsigned(sealed(challenge('other'))), keys, now))).toBe(
      '401 address check with another token',
    )
    expect(reasonOf(verify(unsigned(sealed(challenge(undefined, 'x'.repeat(1_025)))), keys, now))).toBe(
      '401 challenge is longer than 1 KiB',
    )
  })

  it('W2: an unsigned event is refused although it is encrypted', () => {
    expect(reasonOf(verify(unsigned(sealed(event)), keys, now))).toBe(
      '401 unsigned request that is not an address check',
    )
  })
})

describe('the webhook', () => {
  const clock = createManualClock(now)
  const build = (handle: (payload: unknown) => Promise<object>): ReturnType<typeof createWebhook> =>
    createWebhook({ keys, clock, logger: createCollectingLogger(), handle })

  it('W9: gives every 401 the same body', async () => {
    const webhook = build(async () => ({}))
    const forged = await webhook(request({ headers: { 'x-lark-signature': 'no' } }))
    const sealedBadly = await webhook(request({ body: JSON.stringify({ encrypt: 'AAAA' }) }))
    expect(forged).toEqual({ ...sealedBadly })
    expect(forged).toMatchObject({ status: 401, body: '{"code":401,"msg":"refused"}' })
  })

  it('W15: answers the challenge as JSON that is never taken for HTML', async () => {
    const answer = await build(async () => ({}))(unsigned(sealed(challenge(undefined, '<script>'))))
    expect(answer).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: '{"challenge":"<script>"}',
    })
  })

  it('W18: a failing handler makes a 500, so that Feishu delivers again', async () => {
    const answer = await build(() => Promise.reject(new Error('database is away')))(request())
    expect(answer.status).toBe(500)
  })

  it('answers what the handler returns', async () => {
    const answer = await build(async () => ({ toast: { type: 'success', content: '已批准' } }))(request())
    expect(answer).toMatchObject({ status: 200, body: '{"toast":{"type":"success","content":"已批准"}}' })
  })
})
