import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decrypt, deriveKey } from '../../../../adapters/feishu/webhook/decrypt.ts'
import { createVerifier, type WebhookKeys } from '../../../../adapters/feishu/webhook/verify.ts'
import { encrypt, signed } from './seal.ts'

const now = 1_767_574_800_000
const keys: WebhookKeys = {
  appId: 'cli_0123456789abcdef',
  encryptKeys: ['current key'],
  verificationToken: 'verification-token',
}
const verify = createVerifier(keys)
const timestamp = String(now / 1_000)
const runs = { numRuns: 10_000, seed: 20_260_105 }

describe('W9: ten thousand bodies of a webhook', () => {
  it('that nobody signed are refused, whatever they are', { timeout: 60_000 }, () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.json().map((inner) => JSON.stringify({ encrypt: inner })),
      fc.base64String().map((inner) => JSON.stringify({ encrypt: inner, type: 'url_verification' })),
    )
    fc.assert(
      fc.property(body, fc.string(), (text, signature) => {
        const request = signed({
          ...{ key: 'another key', timestamp, body: text },
          headers: { 'x-lark-signature': signature },
        })
        expect(verify(request, now)).toMatchObject({ type: 'refused', status: 401 })
      }),
      runs,
    )
  })

  it('that are signed and sealed are an event only with our app and token in them', {
    timeout: 60_000,
  }, () => {
    const header = fc.record(
      {
        app_id: fc.oneof(fc.constant(keys.appId), fc.anything()),
        token: fc.oneof(fc.constant(keys.verificationToken), fc.anything()),
      },
      { requiredKeys: [] },
    )
    const payload = fc.oneof(
      fc.record({ schema: fc.constantFrom('2.0', '1.0', 2), header, event: fc.anything() }),
      fc.anything(),
    )
    fc.assert(
      fc.property(payload, (value) => {
        const plain = JSON.stringify(value) ?? 'undefined'
        const body = JSON.stringify({ encrypt: encrypt(plain, 'current key') })
        const verdict = verify(signed({ key: 'current key', timestamp, body }), now)
        if (verdict.type === 'refused') return
        expect(verdict).toMatchObject({
          type: 'event',
          payload: { header: { app_id: keys.appId, token: keys.verificationToken } },
        })
      }),
      { numRuns: 3_000, seed: 20_260_105 },
    )
  })

  it('whose encrypted text has other signs in it are read as JSON and the cipher read them', {
    timeout: 60_000,
  }, () => {
    const plain = JSON.stringify({
      schema: '2.0',
      header: { app_id: keys.appId, token: keys.verificationToken },
    })
    const change = fc.record({
      spaces: fc.nat({ max: 64 }),
      at: fc.nat({ max: 300 }),
      cut: fc.nat({ max: 4 }),
      put: fc.string({
        unit: fc.constantFrom('\t', '\n', ' ', '"', '\\', '/', '=', '-', '_', '{', 'A', 'é', '驿'),
        maxLength: 5,
      }),
    })
    const aes = deriveKey('current key')
    fc.assert(
      fc.property(change, ({ spaces, at, cut, put }) => {
        const text = encrypt(plain + ' '.repeat(spaces), 'current key')
        const body = `{"encrypt":"${text.slice(0, at)}${put}${text.slice(at + cut)}"}`
        const verdict = verify(signed({ key: 'current key', timestamp, body }), now)
        expect(verdict.type === 'event').toBe(isEvent(body, aes))
      }),
      runs,
    )
  })
})

/** What the parser, the cipher and the parser again make of it, one after the other. */
function isEvent(body: string, aes: Buffer): boolean {
  try {
    const { encrypt: sealed } = JSON.parse(body) as { encrypt: string }
    const event = JSON.parse(decrypt(sealed, aes) ?? '') as {
      schema: unknown
      header: Record<string, unknown>
    }
    const { app_id: appId, token } = event.header
    return event.schema === '2.0' && appId === keys.appId && token === keys.verificationToken
  } catch {
    return false
  }
}
