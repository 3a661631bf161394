import { createDecipheriv } from 'node:crypto'
import * as official from '@wecom/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aesKey,
  decryptMessage,
  encryptMessage,
  sameSignature,
  sign,
  unpad,
} from '../../../adapters/wecom/crypto.ts'
import { MEDIA, OWN, VECTORS } from './vectors.ts'

describe('callback cryptography', () => {
  for (const vector of VECTORS) {
    it(`wecom 31: ${vector.name} decrypts, encrypts and signs to the known bytes`, () => {
      const key = aesKey(OWN.key)

      expect(decryptMessage(key, vector.encrypt)).toEqual({
        message: vector.message,
        receiveId: vector.receiveId,
      })
      expect(encryptMessage(key, vector.message, vector.receiveId, Buffer.from(OWN.salt))).toBe(
        vector.encrypt,
      )
      expect(sign(OWN.token, OWN.timestamp, OWN.nonce, vector.encrypt)).toBe(vector.signature)
    })
  }

  it('wecom 31: V6 media decrypts with the key with and without its equals sign', () => {
    for (const text of [MEDIA.aeskey, MEDIA.aeskey.replace('=', '')]) {
      const key = aesKey(text)
      const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
      const plain = decipher.update(Buffer.from(MEDIA.cipherHex, 'hex'))

      expect(unpad(plain).toString()).toBe('hello wecom media\n')
    }
  })

  it('wecom 31: agrees with the official library on any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('', 'ww0123456789abcdef'),
        (message, id) => {
          const theirs = official.encrypt(OWN.key, message, id)

          expect(decryptMessage(aesKey(OWN.key), theirs)).toEqual({ message, receiveId: id })
          const ours = encryptMessage(aesKey(OWN.key), message, id, Buffer.from(OWN.salt))
          expect(official.decrypt(OWN.key, ours)).toMatchObject({ message, id })
          expect(sign('t', '1', 'n', ours)).toBe(official.getSignature('t', '1', 'n', ours))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('W2: a signature of another length, case or one altered byte is not the same', () => {
    const good = VECTORS[0]?.signature ?? ''

    expect(sameSignature(good, good)).toBe(true)
    expect(sameSignature(good, good.toUpperCase())).toBe(false)
    expect(sameSignature(good, good.slice(1))).toBe(false)
    expect(sameSignature(good, '')).toBe(false)
    expect(sameSignature(good, good.replace('d', 'e'))).toBe(false)
  })

  it('W9: refuses what is not base64, not whole blocks, or badly padded', () => {
    const key = aesKey(OWN.key)
    const bad = ['', '!!!!', 'QUJD', Buffer.alloc(16).toString('base64'), Buffer.alloc(64).toString('base64')]

    for (const text of bad) expect(() => decryptMessage(key, text)).toThrow('ciphertext refused')
  })

  it('W9: refuses a length field beyond the end', () => {
    const key = aesKey(OWN.key)
    const whole = encryptMessage(key, 'x'.repeat(200), '', Buffer.from(OWN.salt))
    // The head says 200 bytes, but all blocks except the first and the last are gone.
    const blocks = Buffer.from(whole, 'base64')
    const cut = Buffer.concat([blocks.subarray(0, 32), blocks.subarray(-64, -32), blocks.subarray(-32)])

    expect(() => decryptMessage(key, cut.toString('base64'))).toThrow('ciphertext refused')
  })

  it('refuses a key of another length', () => {
    expect(() => aesKey('short')).toThrow('instead of 32')
  })
})
