import { decrypt, encrypt, getSignature } from '@wecom/crypto'
import { describe, expect, it } from 'vitest'
import {
  keyBytes,
  seal,
  signature,
  unseal,
  unwrap,
  wrap,
} from '../../../../adapters/wecom/simulator/cipher.ts'
import { AES_KEY, TOKEN } from './fixture.ts'

const TS = '1767225600'
const NONCE = 'nonce-0001'
const RANDOM = Buffer.from('0123456789abcdef')
const ECHO = '1616140317555161061'
const VECTORS: [string, string, string, string, string][] = [
  [
    'V1',
    ECHO,
    '',
    'Q3stYC6hdFzMh9T8HCvyDH0IHJENRtL8kKsqSYgg4gDWvcnIkH9Dgx6R/gF/b4PMyawpbQ2ZVP3ULWIL1h2YBQ==',
    'ddb16b108e3f42a6f6758680a60848f2db858a71',
  ],
  [
    'V2',
    ECHO,
    'ww0123456789abcdef',
    'Q3stYC6hdFzMh9T8HCvyDH0IHJENRtL8kKsqSYgg4gBeiTpo2e8dLmRRhxdna5yMVu0s4RoCX7iZ4LGYqVDhtA==',
    '4719066771965230fdd6c04814131f8eb762b0c1',
  ],
  [
    'V3',
    '{"msgid":"M1","aibotid":"AIB1","chattype":"single","from":{"userid":"zhangsan"},"msgtype":"text","text":{"content":"你好"}}',
    '',
    'Q3stYC6hdFzMh9T8HCvyDOEZxoCd1MyMpimlMlIt5GZSidijzvOVXGd2MOi9pSZpdyzGPGrleh4LQJgdhfZKrUaPsxCVtCyP1hq8bkRP2ulwSpddsc1iztTPvlFZYNpea2Q3BRPSxxTiIcIlzhlaM5TPaAw7e4oWSXlocZY5gHoHP8blUSCrL1vYACB6vdWym4iRVcVYjPWHTUJptXTA2w==',
    '46c556068e2a01ea2b1e7b89c0861dae1aab0b5d',
  ],
  [
    'V4',
    'xxxxxxxxxxxx',
    '',
    'Q3stYC6hdFzMh9T8HCvyDL/REUy6XoCe3sU4HvxrUh7Kcl/rt/AR422qmJnDgwvf9NNo3s2z/BJTFH23ClXu3A==',
    '5cd0f1804179a3d0620416f0dcea0ba1a521daf7',
  ],
  [
    'V5',
    '<xml><ToUserName><![CDATA[ww0123456789abcdef]]></ToUserName><FromUserName><![CDATA[zhangsan]]></FromUserName><CreateTime>1767225600</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[你好]]></Content><MsgId>7450000000000000001</MsgId><AgentID>1000002</AgentID></xml>',
    'ww0123456789abcdef',
    'Q3stYC6hdFzMh9T8HCvyDC0JjB4HsbnTXiLzhn6WPaKf7A3QOocI58cUYaU5FE1PvM1KHdYzjxT6C96zVskPAPpv5/JXhMpbI7d89iLCILWxbR2jGNT8A7fowOhaZnaOsvxDsx1xsADDFHRlN7qlytSj4ny8yliN0MBvgEcfGXJipB0txNgB+dOCn5hU4FSJ5iWTWj4L3QofdV0GBz0vniADEdmGWtJYDGHsSdis8XXT/jrnNn8xcdX3LdU/JHqUTVdTJs872VD3J4RR24J+EO4duLmmejHfp7WIMSv1di3LwAV2DhHBC8kDQxCW25Vdr9BXJm2kuQWoi2I6T0j4RKbN793j5Z/uOXob6RC4/1ZrQyZLXXIHZ7DuQaYHmjnS57KRedSpOJTTrxhWskj2dfJJTHU5nLlhIX42XJWDf5XqfpijQoAqj2q0XWsoyP8maILiIHlkelPQNwy+9x/ung==',
    '81875f78d98b9276159d6c68f51b18e615bfd8ce',
  ],
]

describe('the platform side of the encryption', () => {
  it.each(VECTORS)('wecom 31: vector %s in both directions', (_name, text, id, encrypted, sig) => {
    expect(wrap(text, id, AES_KEY, RANDOM)).toBe(encrypted)
    expect(unwrap(encrypted, id, AES_KEY)).toBe(text)
    expect(signature(TOKEN, TS, NONCE, encrypted)).toBe(sig)
  })

  it('wecom 31: vector V6 of media, with and without "="', () => {
    const plain = Buffer.from('hello wecom media\n')
    const sealed = Buffer.from('2366ddc28e33e7e528e2a2c79a98d55a2249419b83ad540a43f7e28174c972bf', 'hex')
    for (const key of [
      'ABEiM0RVZneImaq7zN3u/wEjRWeJq83vASNFZ4mrze8=',
      'ABEiM0RVZneImaq7zN3u/wEjRWeJq83vASNFZ4mrze8',
    ]) {
      expect(seal(plain, keyBytes(key)).equals(sealed)).toBe(true)
      expect(unseal(sealed, keyBytes(key)).equals(plain)).toBe(true)
    }
  })

  it.each(VECTORS)('wecom 31: agrees with @wecom/crypto on %s', (_name, text, id) => {
    const ours = wrap(text, id, AES_KEY, RANDOM)
    expect(decrypt(AES_KEY, ours)).toMatchObject({ message: text, id })
    expect(unwrap(encrypt(AES_KEY, text, id), id, AES_KEY)).toBe(text)
    expect(signature(TOKEN, TS, NONCE, ours)).toBe(getSignature(TOKEN, TS, NONCE, ours))
  })

  it('wecom 31: a changed byte, a foreign receiveid and a wrong key length are refused', () => {
    const encrypted = wrap('hi', 'ww1', AES_KEY, RANDOM)
    expect(() => unwrap(encrypted, 'ww2', AES_KEY)).toThrow('receiveid')
    expect(() => keyBytes('short')).toThrow('32')
    for (const part of [TOKEN, TS, NONCE, encrypted]) {
      const changed = [TOKEN, TS, NONCE, encrypted].map((one) =>
        one === part ? `${one.slice(0, -1)}!` : one,
      )
      const [token = '', ts = '', nonce = '', text = ''] = changed
      expect(signature(token, ts, nonce, text)).not.toBe(signature(TOKEN, TS, NONCE, encrypted))
    }
  })
})
