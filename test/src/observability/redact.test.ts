import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKnownRedactor, createRedactor } from '../../../src/observability/redact.ts'

describe('createRedactor', () => {
  const secret = 'aB3/x+9"q&z'
  const redact = createRedactor([secret, 'short'])

  it.each([
    ['plain', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['in hex', Buffer.from(secret).toString('hex')],
  ])('K2, K3: takes a known value out, %s', (_, form) => {
    expect(redact(`before ${form} after`)).not.toContain(form.replace(/=+$/, ''))
  })

  it.each([
    ['an OpenAI key', 'sk-abcdefghijklmnop1234'],
    ['an AWS key', 'AKIAABCDEFGHIJKLMNOP'],
    ['a GitHub token', 'ghp_abcdefghijklmnopqrst1234'],
    ['a Feishu token', 't-abcdefghijklmnopqrstuvwxyz'],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0xyz.c2lnbmF0dXJlMTIz'],
    ['a bearer', 'Bearer abcdefgh12345678'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----'],
    ['a private key cut short', '-----BEGIN PRIVATE KEY-----\nMIIBVQIBADAN'],
  ])('K2: takes %s out although nobody told it', (_, text) => {
    const clean = redact(`x ${text}`)
    expect(clean).toContain('[redacted]')
    expect(clean).not.toContain(text.slice(-8))
  })

  it('K3: keeps the name of a named value', () => {
    expect(redact('app_secret=abcd1234 ok')).toBe('app_secret=[redacted] ok')
    expect(redact('{"password":"hunter22"}')).toBe('{"password":"[redacted]"}')
  })

  it('leaves ordinary words and values too short to be a secret alone', () => {
    const text = 'a short note about the task: passwords are stored hashed'
    expect(redact(text)).toBe(text)
  })

  it('K3: a line of JSON stays one, whatever quotes and escapes stand around a secret', () => {
    const piece = fc.constantFrom(
      'password=',
      'secret: ',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'hunter22',
      'sk-abcdefghijklmnop1234',
      '"',
      "'",
      '\\',
      '\n',
      ' ',
      '}',
      ',',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 6 }), (one, two) => {
        const line = JSON.stringify({ one: one.join(''), two: two.join(''), level: 'info' })
        expect(JSON.parse(redact(line))).toHaveProperty('level')
      }),
      { numRuns: 5_000, seed: 20_260_105 },
    )
  }, 60_000)
})

describe('createKnownRedactor', () => {
  it('knows values only: a line such as "password: string" is somebody’s work', () => {
    const redact = createKnownRedactor(['hunter22'])
    expect(redact('password: string // not hunter22')).toBe('password: string // not [redacted]')
  })

  it('takes the longest spelling first', () => {
    expect(createKnownRedactor(['abcdef', 'abcdefghij'])('abcdefghij')).toBe('[redacted]')
  })
})
