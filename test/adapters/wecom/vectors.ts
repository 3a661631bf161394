/** Crypto vectors: made with `@wecom/crypto`, and WeCom's own published example (doc 91144). */
export const OWN = {
  key: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
  token: 'simToken01',
  timestamp: '1767225600',
  nonce: 'nonce-0001',
  salt: '0123456789abcdef',
}

export interface Vector {
  readonly name: string
  readonly message: string
  readonly receiveId: string
  readonly encrypt: string
  readonly signature: string
}

export const VECTORS: readonly Vector[] = [
  {
    name: 'V1 aibot echostr',
    message: '1616140317555161061',
    receiveId: '',
    encrypt: 'Q3stYC6hdFzMh9T8HCvyDH0IHJENRtL8kKsqSYgg4gDWvcnIkH9Dgx6R/gF/b4PMyawpbQ2ZVP3ULWIL1h2YBQ==',
    signature: 'ddb16b108e3f42a6f6758680a60848f2db858a71',
  },
  {
    name: 'V2 app echostr',
    message: '1616140317555161061',
    receiveId: 'ww0123456789abcdef',
    encrypt: 'Q3stYC6hdFzMh9T8HCvyDH0IHJENRtL8kKsqSYgg4gBeiTpo2e8dLmRRhxdna5yMVu0s4RoCX7iZ4LGYqVDhtA==',
    signature: '4719066771965230fdd6c04814131f8eb762b0c1',
  },
  {
    name: 'V3 aibot message',
    message:
      '{"msgid":"M1","aibotid":"AIB1","chattype":"single","from":{"userid":"zhangsan"},"msgtype":"text","text":{"content":"你好"}}',
    receiveId: '',
    encrypt:
      'Q3stYC6hdFzMh9T8HCvyDOEZxoCd1MyMpimlMlIt5GZSidijzvOVXGd2MOi9pSZpdyzGPGrleh4LQJgdhfZKrUaPsxCVtCyP1hq8bkRP2ulwSpddsc1iztTPvlFZYNpea2Q3BRPSxxTiIcIlzhlaM5TPaAw7e4oWSXlocZY5gHoHP8blUSCrL1vYACB6vdWym4iRVcVYjPWHTUJptXTA2w==',
    signature: '46c556068e2a01ea2b1e7b89c0861dae1aab0b5d',
  },
  {
    name: 'V4 a whole block of padding',
    message: 'xxxxxxxxxxxx',
    receiveId: '',
    encrypt: 'Q3stYC6hdFzMh9T8HCvyDL/REUy6XoCe3sU4HvxrUh7Kcl/rt/AR422qmJnDgwvf9NNo3s2z/BJTFH23ClXu3A==',
    signature: '5cd0f1804179a3d0620416f0dcea0ba1a521daf7',
  },
  {
    name: 'V5 app message',
    message:
      '<xml><ToUserName><![CDATA[ww0123456789abcdef]]></ToUserName><FromUserName><![CDATA[zhangsan]]></FromUserName><CreateTime>1767225600</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[你好]]></Content><MsgId>7450000000000000001</MsgId><AgentID>1000002</AgentID></xml>',
    receiveId: 'ww0123456789abcdef',
    encrypt:
      'Q3stYC6hdFzMh9T8HCvyDC0JjB4HsbnTXiLzhn6WPaKf7A3QOocI58cUYaU5FE1PvM1KHdYzjxT6C96zVskPAPpv5/JXhMpbI7d89iLCILWxbR2jGNT8A7fowOhaZnaOsvxDsx1xsADDFHRlN7qlytSj4ny8yliN0MBvgEcfGXJipB0txNgB+dOCn5hU4FSJ5iWTWj4L3QofdV0GBz0vniADEdmGWtJYDGHsSdis8XXT/jrnNn8xcdX3LdU/JHqUTVdTJs872VD3J4RR24J+EO4duLmmejHfp7WIMSv1di3LwAV2DhHBC8kDQxCW25Vdr9BXJm2kuQWoi2I6T0j4RKbN793j5Z/uOXob6RC4/1ZrQyZLXXIHZ7DuQaYHmjnS57KRedSpOJTTrxhWskj2dfJJTHU5nLlhIX42XJWDf5XqfpijQoAqj2q0XWsoyP8maILiIHlkelPQNwy+9x/ung==',
    signature: '81875f78d98b9276159d6c68f51b18e615bfd8ce',
  },
]

/** V6: media, plaintext `hello wecom media\n`. */
export const MEDIA = {
  aeskey: 'ABEiM0RVZneImaq7zN3u/wEjRWeJq83vASNFZ4mrze8=',
  cipherHex: '2366ddc28e33e7e528e2a2c79a98d55a2249419b83ad540a43f7e28174c972bf',
}
