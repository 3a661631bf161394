import { describe, expect, it } from 'vitest'
import { showSettled } from '../../../src/outbound/settled-card.ts'
import type { Card } from '../../../src/protocol/card.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { busy, mail, type OutboxStage, outboxStages, refused } from './stage.ts'

const open = outboxStages()

const cardOf = (title: string): Card => ({
  ...{ cardId: 'approval-a1', title, tone: 'neutral', blocks: [], buttons: [], summary: title },
})
const asking = mail('c-a1', {
  ref: 'card:a1',
  payload: { message: { type: 'card', card: cardOf('open') }, repeatable: true },
})
const unheard = (): AppError => new AppError('feishu.outcome_unknown', 'no answer')

/** The approval is settled, and everything that can leave by now leaves. */
async function settle(stage: OutboxStage): Promise<void> {
  await showSettled(stage, stage.adapter, {
    ...{ asked: 'card:a1', key: 'd-a1', ref: 'live:r1' },
    card: cardOf('settled'),
  })
  await stage.clock.advance(0)
}

describe('a card whose question is settled', () => {
  it('sent before: it is changed, once', async () => {
    const stage = await open()
    await stage.send(asking)
    await settle(stage)
    await settle(stage)
    expect(stage.adapter.said()).toEqual(['open', 'settled'])
    expect(stage.adapter.messages()).toEqual(['settled'])
  })

  it('not begun: it is never sent, and nothing is changed', async () => {
    const stage = await open()
    const free = stage.adapter.pause()
    await stage.send(mail('first'), asking)
    await settle(stage)
    free()
    await stage.send(mail('last'))
    expect(stage.adapter.said()).toEqual(['words of first', 'words of last'])
    expect(await stage.stateOf('c-a1')).toBe('failed')
    expect(await stage.stateOf('d-a1')).toBeUndefined()
  })

  it('being sent: it is changed as soon as the platform has it, before anything else is said', async () => {
    const stage = await open()
    const free = stage.adapter.pause()
    await stage.send(asking)
    await settle(stage)
    await settle(stage)
    await stage.send(mail('answer'))
    expect(stage.adapter.said()).toEqual(['open'])
    free()
    await stage.send(mail('last'))
    expect(stage.adapter.said()).toEqual(['open', 'settled', 'words of answer', 'words of last'])
    expect(stage.adapter.messages()[0]).toBe('settled')
  })

  const troubles = { 'refused for now': busy(5_000), 'of unknown outcome': unheard() }
  it.each(Object.entries(troubles))('%s: the next try is changed right behind', async (_, trouble) => {
    const stage = await open()
    stage.adapter.fail(trouble)
    await stage.send(asking)
    await settle(stage)
    await stage.clock.advance(900_000)
    expect(stage.adapter.calls.map(({ kind, key }) => [kind, key])).toEqual([
      ['send', 'c-a1'],
      ['send', 'c-a1'],
      ['update', 'd-a1'],
    ])
    expect(stage.adapter.messages()).toEqual(['settled'])
  })

  it('tried in vain for hours: it is changed as soon as it has left', async () => {
    const stage = await open()
    stage.adapter.fail(...Array.from({ length: 15 }, () => busy(600_000)))
    await stage.send({ ...asking, deadlineMs: 3 * 3_600_000 })
    await settle(stage)
    for (let round = 0; round < 16; round++) await stage.clock.advance(600_000)
    expect(stage.adapter.messages()).toEqual(['settled'])
  })

  it('given up while it was being sent: nothing is sent in its place, and the chat goes on', async () => {
    const stage = await open()
    const free = stage.adapter.pause()
    stage.adapter.fail(refused())
    await stage.send(asking)
    await settle(stage)
    free()
    await stage.send(mail('last'))
    expect(stage.adapter.said()).toEqual(['open', 'words of last'])
    expect(await stage.stateOf('d-a1')).toBe('failed')
  })

  it('given up before: nothing is sent', async () => {
    const stage = await open()
    stage.adapter.fail(refused())
    await stage.send(asking)
    await settle(stage)
    expect(await stage.stateOf('d-a1')).toBeUndefined()
  })

  it('of a platform that changes no cards: tried in vain, it is not tried again; sent, it stays', async () => {
    const stage = await open({ cardsUpdatable: false })
    stage.adapter.fail(busy(5_000))
    await stage.send(asking)
    await settle(stage)
    await stage.clock.advance(900_000)
    expect(stage.adapter.said()).toEqual(['open'])
    expect(await stage.stateOf('d-a1')).toBeUndefined()
  })
})
