import { describe, expect, it } from 'vitest'
import { parseFrame } from '../../../adapters/wecom/frame.ts'
import { createPendingRequests } from '../../../adapters/wecom/pending.ts'
import { createManualClock } from '../../support/clock.ts'

/** What a request learns from an answer that stands on the wire like this. */
async function learns(answer: object): Promise<unknown> {
  const pending = createPendingRequests(createManualClock())
  const outcome = pending.send('aibot_respond_msg', 'r1', 5_000, () => {}).catch((error: unknown) => error)
  await Promise.resolve()
  const frame = parseFrame(JSON.stringify({ headers: { req_id: 'r1' }, ...answer }))
  expect(frame?.type).toBe('ack')
  if (frame?.type === 'ack') pending.settle(frame.ack)
  return outcome
}

describe('an acknowledgement', () => {
  it('with errcode 0 is success, with another number WeCom’s refusal', async () => {
    expect(await learns({ errcode: 0, body: 'ok' })).toBe('ok')
    expect(await learns({ errcode: 846608, errmsg: 'no' })).toMatchObject({ code: 'wecom.stream_expired' })
  })

  it.each([{}, { errcode: '0' }, { errcode: null, errmsg: 7 }, { errcode: { code: 0 } }])(
    'R22: %j says neither yes nor no: the outcome is unknown at once',
    async (answer) => {
      expect(await learns(answer)).toMatchObject({ code: 'wecom.outcome_unknown' })
    },
  )
})
