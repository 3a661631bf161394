import { describe, expect, it } from 'vitest'
import { createBotLoopGuard } from '../../../src/gateway/bot-loop.ts'
import { createManualClock } from '../../support/clock.ts'

describe('R27: two bots that answer each other', () => {
  it('get twenty answers a minute, then a minute of silence, then twenty more', async () => {
    const clock = createManualClock()
    const guard = createBotLoopGuard(clock)
    const burst = (): number =>
      Array.from({ length: 30 }, () => guard.mayAnswer('chat', 'feishu:ou_bot')).filter(Boolean).length
    expect(burst()).toBe(20)
    await clock.advance(59_999)
    expect(burst()).toBe(0)
    await clock.advance(1)
    expect(burst()).toBe(20)
  })

  it('are counted by pair: another chat and another bot have budgets of their own', () => {
    const guard = createBotLoopGuard(createManualClock())
    for (let count = 0; count < 21; count++) guard.mayAnswer('chat', 'a')
    expect(guard.mayAnswer('chat', 'a')).toBe(false)
    expect(guard.mayAnswer('chat', 'b')).toBe(true)
    expect(guard.mayAnswer('other', 'a')).toBe(true)
  })

  it('may talk slowly for ever', async () => {
    const clock = createManualClock()
    const guard = createBotLoopGuard(clock)
    for (let count = 0; count < 100; count++) {
      expect(guard.mayAnswer('chat', 'a')).toBe(true)
      await clock.advance(4_000)
    }
  })
})
