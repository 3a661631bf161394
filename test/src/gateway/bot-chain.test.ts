import { describe, expect, it } from 'vitest'
import { createBotChainGuard } from '../../../src/gateway/bot-chain.ts'
import { createManualClock } from '../../support/clock.ts'

describe('R27: bots that answer each other slowly', () => {
  it('get three answers in a row, then none, and the end is said once', async () => {
    const clock = createManualClock()
    const guard = createBotChainGuard(clock, 3)
    const answers: string[] = []
    for (let count = 1; count <= 6; count++) {
      answers.push(guard.take('chat', `om_${count}`))
      await clock.advance(60_000)
    }
    expect(answers).toEqual(['yes', 'yes', 'yes', 'stop', 'no', 'no'])
  })

  it('begin anew once a person has spoken, in that chat only', () => {
    const guard = createBotChainGuard(createManualClock(), 1)
    for (const chat of ['a', 'b']) guard.take(chat, 'om_1')
    guard.personSpoke('a')
    expect([guard.take('a', 'om_2'), guard.take('b', 'om_2')]).toEqual(['yes', 'stop'])
  })

  it('begin anew after a pause: an alarm every hour is always answered', async () => {
    const clock = createManualClock()
    const guard = createBotChainGuard(clock, 1)
    for (let count = 0; count < 5; count++) {
      expect(guard.take('chat', `om_${count}`)).toBe('yes')
      await clock.advance(3_600_000)
    }
  })

  it('W5: a repeated delivery of one message counts once and is answered alike', () => {
    const guard = createBotChainGuard(createManualClock(), 2)
    const ids = ['om_1', 'om_1', 'om_2', 'om_1', 'om_3', 'om_3']
    expect(ids.map((id) => guard.take('chat', id))).toEqual(['yes', 'yes', 'yes', 'yes', 'stop', 'stop'])
  })
})
