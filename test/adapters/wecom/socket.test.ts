/** The long connection itself: who holds it, how it is kept, lost and made anew. */
import { afterEach, describe, expect, it } from 'vitest'
import { GROUP_ADDRESS, type House, startHouse, textOf, until } from './house.ts'
import { BOT, GROUP } from './simulator/fixture.ts'
import { options } from './twins.ts'

const subscribes = (house: House): number =>
  house.sim.control.journal().filter((entry) => entry.name === 'aibot_subscribe').length

describe('the long connection', () => {
  let house: House
  afterEach(() => house.stop())

  it('wecom 2: after being kicked it stays away, then comes back, without flapping', async () => {
    house = await startHouse()

    house.sim.control.faults.kick(BOT)
    await until(() => house.adapter.status().state === 'reconnecting')

    expect(house.adapter.status().detail).toContain('another program')
    await house.sim.clock.advance(60_000)
    expect(subscribes(house)).toBe(1)
    await house.sim.clock.advance(240_000)
    await until(() => house.adapter.status().state === 'connected')
    expect(subscribes(house)).toBe(2)
  })

  it('wecom 2: of two processes with one bot only the owner connects', async () => {
    house = await startHouse()
    const second = house.another()

    // No time passes: there is nothing to wait for.
    await second.start(async () => ({}))

    expect(second.status()).toMatchObject({
      state: 'standby',
      detail: expect.stringContaining('another process'),
    })
    expect(house.adapter.status().state).toBe('connected')
    await expect(
      second.send(GROUP_ADDRESS, { type: 'markdown', markdown: 'x' }, options('k')),
    ).rejects.toMatchObject({
      code: 'wecom.not_connected',
      retryable: true,
    })
  })

  it('wecom 40: after two minutes without network it connects again, one subscribe per connection', async () => {
    house = await startHouse()
    const event = await house.ask('hi')

    house.sim.control.faults.cutNetwork(120_000)
    await until(() => house.adapter.status().state === 'reconnecting')
    const pending = house.adapter.send(
      event.address,
      { type: 'markdown', markdown: 'x', replyTo: event.replyTo },
      options('k1'),
    )
    await expect(pending).rejects.toMatchObject({ code: 'wecom.not_connected', retryable: true })
    for (let second = 0; second < 180 && house.adapter.status().state !== 'connected'; second++) {
      await house.sim.clock.advance(1_000)
      for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await until(() => house.adapter.status().state === 'connected')
    await house.adapter.send(
      event.address,
      { type: 'markdown', markdown: 'x', replyTo: event.replyTo },
      options('k1'),
    )

    expect(subscribes(house)).toBe(2)
    expect(house.said().map(textOf)).toEqual(['x'])
  })

  it('silence is not staleness: an idle hour of acknowledged pings keeps the connection', async () => {
    house = await startHouse()

    for (let minute = 0; minute < 60; minute++) {
      await house.sim.clock.advance(60_000)
      for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    }

    expect(subscribes(house)).toBe(1)
    expect(house.sim.control.journal().filter((entry) => entry.name === 'ping').length).toBeGreaterThan(100)
  })

  it('two lost ping acknowledgements end the connection and make a new one', async () => {
    house = await startHouse()
    house.sim.control.faults.add({ name: 'ping', effect: 'drop', times: 2 })

    for (let step = 0; step < 90 && subscribes(house) < 2; step++) {
      await house.sim.clock.advance(1_000)
      for (let turn = 0; turn < 30; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await until(() => house.adapter.status().state === 'connected')

    expect(subscribes(house)).toBe(2)
  })

  it('846609 ends the socket; the command can be tried again on the next', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: 846609 })
    const message = { type: 'markdown' as const, markdown: 'x', replyTo: event.replyTo }

    await expect(house.adapter.send(event.address, message, options('k1'))).rejects.toMatchObject({
      code: 'wecom.not_connected',
      retryable: true,
    })
    await until(() => house.adapter.status().state === 'reconnecting')
    await house.sim.clock.advance(2_000)
    await until(() => house.adapter.status().state === 'connected')
    await house.adapter.send(event.address, message, options('k1'))

    expect(house.said().map(textOf)).toEqual(['x'])
  })

  it('a wrong secret rejects the start with what to check', async () => {
    house = await startHouse()
    const wrong = house.another({ aibot: { botId: BOT, secret: 'wrong', wsUrl: house.sim.wsUrl } }, 'one')

    await expect(wrong.start(async () => ({}))).rejects.toMatchObject({
      code: 'wecom.subscribe_refused',
      hint: expect.stringContaining('long connection'),
    })
    expect(wrong.status().state).toBe('failed')
  })

  it('an event that cannot be stored is handed in again', async () => {
    house = await startHouse()
    let failures = 2
    house.receipt = async () => {
      if (failures-- > 0) throw new Error('database is locked')
      return {}
    }
    await house.sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      type: 'text',
      text: 'hi',
      at: { bot: BOT },
    })
    await until(() => house.events.length === 1)
    await house.sim.clock.advance(1_500)
    await until(() => house.events.length === 3)

    expect(new Set(house.events.map((event) => JSON.stringify(event))).size).toBe(1)
  })
})
