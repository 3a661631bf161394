import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame } from '../../../../adapters/feishu/simulator/frame.ts'

describe('frame', () => {
  const frame = {
    seqId: 300,
    logId: 1_767_574_800_123,
    service: 33_554_678,
    method: 1,
    headers: { type: 'event', message_id: 'abc', sum: '1', seq: '0' },
    payload: Buffer.from('{"text":"你好"}'),
  }

  it('comes back as it was, numbers beyond 32 bits included', () => {
    expect(decodeFrame(encodeFrame(frame))).toEqual(frame)
  })

  it('writes the required fields even when they are zero', () => {
    const bytes = encodeFrame({
      ...frame,
      seqId: 0,
      logId: 0,
      service: 0,
      method: 0,
      headers: {},
      payload: Buffer.alloc(0),
    })
    expect([...bytes]).toEqual([8, 0, 16, 0, 24, 0, 32, 0])
  })

  it('refuses bytes that end inside a field', () => {
    const bytes = encodeFrame(frame)
    expect(() => decodeFrame(bytes.subarray(0, bytes.length - 1))).toThrow(RangeError)
  })
})
