import { describe, expect, it } from 'vitest'
import { openCallback, openRotating } from '../../../adapters/wecom/verifier.ts'
import { OWN, VECTORS, type Vector } from './vectors.ts'

const NOW = Number(OWN.timestamp) * 1_000
const [echo, appEcho] = VECTORS

function queryOf(vector: Vector | undefined, change: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({
    msg_signature: vector?.signature ?? '',
    timestamp: OWN.timestamp,
    nonce: OWN.nonce,
    ...change,
  })
}

function open(
  vector: Vector | undefined,
  query: URLSearchParams,
  now = NOW,
  receiveId = vector?.receiveId ?? '',
): string {
  return openCallback(
    { token: OWN.token, encodingAesKey: OWN.key, receiveId },
    query,
    vector?.encrypt ?? '',
    now,
  )
}

describe('openCallback', () => {
  it('opens every vector', () => {
    for (const vector of VECTORS) expect(open(vector, queryOf(vector))).toBe(vector.message)
  })

  it('wecom 31: any single altered byte of the signature or the text is refused', () => {
    for (let index = 0; index < 40; index++) {
      const signature = [...(echo?.signature ?? '')]
      signature[index] = signature[index] === '0' ? '1' : '0'
      expect(() => open(echo, queryOf(echo, { msg_signature: signature.join('') }))).toThrow(
        'signature differs',
      )
    }
    const altered = { ...VECTORS[0], encrypt: `R${echo?.encrypt.slice(1)}` } as Vector
    expect(() => open(altered, queryOf(altered))).toThrow('signature differs')
  })

  it('W2: a missing or doubled signature is refused', () => {
    const doubled = queryOf(echo)
    doubled.append('msg_signature', echo?.signature ?? '')
    const missing = queryOf(echo)
    missing.delete('msg_signature')

    expect(() => open(echo, doubled)).toThrow('missing or doubled')
    expect(() => open(echo, missing)).toThrow('missing or doubled')
  })

  it('W4: accepts 299 s either way and refuses 301 s either way', () => {
    for (const seconds of [-299, 0, 299])
      expect(open(echo, queryOf(echo), NOW + seconds * 1_000)).toBe(echo?.message)
    for (const seconds of [-301, 301]) {
      expect(() => open(echo, queryOf(echo), NOW + seconds * 1_000)).toThrow('not fresh')
    }
  })

  it('W4: refuses a timestamp that is not whole seconds', () => {
    for (const timestamp of ['', '-1', 'x', '1767225600000', '1e9']) {
      expect(() => open(echo, queryOf(echo, { timestamp }))).toThrow('not in seconds')
    }
  })

  it('W8: a rightly signed callback for another receiver is foreign, not merely refused', () => {
    expect(() => open(appEcho, queryOf(appEcho), NOW, 'wwffffffffffffffff')).toThrow(
      expect.objectContaining({ code: 'wecom.callback_foreign' }),
    )
    expect(() => open(echo, queryOf(echo), NOW, 'ww0123456789abcdef')).toThrow(
      expect.objectContaining({ code: 'wecom.callback_foreign' }),
    )
  })

  it('W9: a bad ciphertext under a good signature is refused with the code of a bad signature', async () => {
    const { sign } = await import('../../../adapters/wecom/crypto.ts')
    const encrypt = Buffer.alloc(64, 7).toString('base64')
    const signature = sign(OWN.token, OWN.timestamp, OWN.nonce, encrypt)
    const forged: Vector = { name: '', message: '', receiveId: '', encrypt, signature }

    expect(() => open(forged, queryOf(forged))).toThrow(
      expect.objectContaining({ code: 'wecom.callback_refused' }),
    )
  })
})

describe('W16: openRotating', () => {
  const next = { token: 'nextToken', encodingAesKey: `${OWN.key.slice(1)}A`, receiveId: '' }
  const previous = { token: OWN.token, encodingAesKey: OWN.key, until: NOW + 1_000 }
  const turn = (keys: Parameters<typeof openRotating>[0], now = NOW) =>
    openRotating(keys, queryOf(echo), echo?.encrypt ?? '', now)

  it('takes the previous secrets until the set moment, names them, and refuses them from then on', () => {
    const opened = turn({ ...next, previous }, NOW + 999)
    expect(opened).toEqual({ message: echo?.message, secrets: previous })
    expect(() => turn({ ...next, previous }, NOW + 1_000)).toThrow('signature differs')
    expect(() => turn(next)).toThrow('signature differs')
  })

  it('takes the current ones first, and works where only the AES key is another', () => {
    const current = { token: OWN.token, encodingAesKey: OWN.key, receiveId: '' }
    expect(turn({ ...current, previous: next }).secrets).toMatchObject({ encodingAesKey: OWN.key })
    expect(turn({ ...next, token: OWN.token, previous }).message).toBe(echo?.message)
  })

  it('W8: another receiver stays foreign', () => {
    expect(() => turn({ ...next, receiveId: 'ww0123456789abcdef', previous })).toThrow(
      expect.objectContaining({ code: 'wecom.callback_foreign' }),
    )
  })
})
