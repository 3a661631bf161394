import { describe, expect, it } from 'vitest'
import { createTokenSource } from '../../../../adapters/feishu/api/token.ts'
import { createManualClock } from '../../../support/clock.ts'

describe('createTokenSource', () => {
  it('renews five minutes before the end, whatever the wall clock does', async () => {
    const clock = createManualClock()
    let issued = 0
    const tokens = createTokenSource(clock, async () => ({ token: `t-${++issued}`, expiresInSeconds: 7_200 }))
    expect(await tokens.get()).toBe('t-1')
    clock.jump(86_400_000)
    expect(await tokens.get()).toBe('t-1')
    await clock.advance(6_899_000)
    expect(await tokens.get()).toBe('t-1')
    await clock.advance(2_000)
    expect(await tokens.get()).toBe('t-2')
  })

  it('R21: a late failure of an old token does not drop the new one', async () => {
    const clock = createManualClock()
    let issued = 0
    const tokens = createTokenSource(clock, async () => ({ token: `t-${++issued}`, expiresInSeconds: 7_200 }))
    await tokens.get()
    tokens.invalidate('t-1')
    expect(await tokens.get()).toBe('t-2')
    tokens.invalidate('t-1')
    expect(await tokens.get()).toBe('t-2')
  })

  it('does not remember a failure', async () => {
    const clock = createManualClock()
    let tries = 0
    const tokens = createTokenSource(clock, async () => {
      tries += 1
      if (tries === 1) throw new Error('away')
      return { token: 't-1', expiresInSeconds: 100 }
    })
    await expect(tokens.get()).rejects.toThrow('away')
    expect(await tokens.get()).toBe('t-1')
    await clock.advance(49_000)
    expect(await tokens.get()).toBe('t-1')
    expect(tries).toBe(2)
  })
})
