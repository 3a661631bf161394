import { describe, expect, it } from 'vitest'
import { wecomError } from '../../../adapters/wecom/errors.ts'
import { createTokenSource } from '../../../adapters/wecom/token.ts'
import { createManualClock } from '../../support/clock.ts'

describe('tokens', () => {
  it('wecom 25: twenty callers at once make one gettoken', async () => {
    let fetched = 0
    const tokens = createTokenSource(
      async () => ({ access_token: `t${++fetched}`, expires_in: 7_200 }),
      createManualClock(),
    )

    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get()))

    expect(new Set(got)).toEqual(new Set(['t1']))
    expect(fetched).toBe(1)
  })

  it('wecom 25: a refused token is dropped once, a second refusal surfaces', async () => {
    let fetched = 0
    const tokens = createTokenSource(
      async () => ({ access_token: `t${++fetched}`, expires_in: 7_200 }),
      createManualClock(),
    )
    const used: string[] = []

    const call = tokens.with(async (token) => {
      used.push(token)
      throw wecomError(42001, 'expired', 'x')
    })

    await expect(call).rejects.toMatchObject({ code: 'wecom.token_rejected' })
    expect(used).toEqual(['t1', 't2'])
  })

  it('renews two minutes before the end, and never repeats a wrong secret by itself', async () => {
    const clock = createManualClock()
    let fetched = 0
    const tokens = createTokenSource(async () => {
      fetched++
      if (fetched === 2) throw wecomError(40001, 'bad secret', 'gettoken')
      return { access_token: `t${fetched}`, expires_in: 7_200 }
    }, clock)
    await tokens.get()
    await clock.advance(7_079_000)
    expect(await tokens.get()).toBe('t1')
    await clock.advance(2_000)

    await expect(tokens.get()).rejects.toMatchObject({ code: 'wecom.bad_secret', retryable: false })
    expect(fetched).toBe(2)
  })
})
