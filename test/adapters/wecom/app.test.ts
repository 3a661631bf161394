import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appChat } from '../../../adapters/wecom/simulator/control.ts'
import type { UserKey } from '../../../src/protocol/address.ts'
import { type House, passing, startHouse, textOf } from './house.ts'
import { APP, GROUP } from './simulator/fixture.ts'
import { options } from './twins.ts'

const ZHANGSAN = { botId: 'oa', chatId: 'app:zhangsan', chatType: 'direct' as const }
const calls = (house: House, name: string): number =>
  house.sim.control.journal().filter((entry) => entry.name === name).length

describe('the self-built app', () => {
  let house: House
  beforeEach(async () => {
    house = await startHouse()
  })
  afterEach(() => house.stop())

  const shown = (userid = 'zhangsan') => house.said(appChat(APP.agentId, userid))

  it('wecom 25: an invalidated token is renewed once and the message goes out once', async () => {
    await house.adapter.send(ZHANGSAN, { type: 'text', text: '一' }, options('a1'))
    house.sim.control.faults.invalidateTokens(APP.agentId)

    await house.adapter.send(ZHANGSAN, { type: 'text', text: '二' }, options('a2'))

    expect(shown().map(textOf)).toEqual(['一', '二'])
    expect(calls(house, 'gettoken')).toBe(2)
  })

  it('wecom 26: an untrusted address reaches the operator with the address, without another try', async () => {
    const [app] = house.sim.control.corp.snapshot().apps
    if (!app) throw new Error('no app')
    house.sim.control.corp.app({ ...app, trustedIps: ['10.0.0.1'] })
    house.sim.control.faults.callerIp('203.0.113.7')

    await expect(
      house.adapter.send(ZHANGSAN, { type: 'text', text: 'x' }, options('a1')),
    ).rejects.toMatchObject({
      code: 'wecom.ip_not_trusted',
      retryable: false,
      params: { ip: '203.0.113.7' },
    })
    expect(calls(house, 'message/send') + calls(house, 'gettoken')).toBeLessThanOrEqual(2)
  })

  it('K2: no error of the API carries a token or secret', async () => {
    house.sim.control.faults.add({ name: 'message/send', effect: 'status', status: 502 })

    const error: Error = await house.adapter.send(ZHANGSAN, { type: 'text', text: 'x' }, options('a1')).then(
      () => new Error('sent'),
      (reason: Error) => reason,
    )

    const whole = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
    expect(error).toMatchObject({ code: 'wecom.outcome_unknown' })
    expect(whole).not.toContain(APP.secret)
    expect(whole).not.toContain('access_token')
  })

  it('wecom 34: a receiver outside the visible range is an error although errcode is 0', async () => {
    const to = { ...ZHANGSAN, chatId: 'app:wangwu' }

    await expect(house.adapter.send(to, { type: 'text', text: 'x' }, options('a1'))).rejects.toMatchObject({
      code: 'wecom.no_receiver',
    })
  })

  it('splits at 2,048 bytes and goes on behind the part that arrived', async () => {
    const text = '驿'.repeat(1_500)
    let prepared: Record<string, string | number | boolean> = {}
    let count = 0
    house.sim.control.faults.add({ name: 'message/send', effect: 'delay', ms: 1 })
    const onPrepared = async (handle: typeof prepared): Promise<void> => {
      prepared = handle
      count++
      if (count === 1) house.sim.control.faults.add({ name: 'message/send', effect: 'error', errcode: -1 })
    }
    await expect(
      passing(
        house.sim,
        house.adapter.send(ZHANGSAN, { type: 'text', text }, options('a1', { onPrepared })),
        1,
      ),
    ).rejects.toMatchObject({ retryable: true })

    await house.adapter.send(ZHANGSAN, { type: 'text', text }, options('a1', { prepared }))

    expect(shown().map(textOf).join('')).toBe(text)
  })

  it('wecom 22: a file arrives by the app under its Chinese name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-'))
    const content = Buffer.from('a,b\n1,2\n')
    const path = join(folder, 'f')
    await writeFile(path, content)
    const sha256 = createHash('sha256').update(content).digest('hex')

    await house.adapter.send(
      ZHANGSAN,
      { type: 'file', file: { path, name: '日报 "终稿".csv', bytes: content.length, sha256, kind: 'file' } },
      options('a1'),
    )
    await rm(folder, { recursive: true })

    expect(shown()[0]?.content).toMatchObject({ type: 'file', file: { bytes: expect.anything() } })
    const sent = shown()[0]?.content
    expect(sent?.type === 'file' && Buffer.from(sent.file.bytes).equals(content)).toBe(true)
    expect(sent?.type === 'file' && sent.file.name).toContain('日报')
  })

  it('a person who never spoke to the bot is reached by the app', async () => {
    await house.adapter.send(
      { ...ZHANGSAN, chatId: 'zhangsan' },
      { type: 'markdown', markdown: '提醒' },
      options('a1'),
    )

    expect(shown().map(textOf)).toEqual(['提醒'])
  })

  it('an app has no ordinary groups', async () => {
    await expect(
      house.adapter.send(
        { botId: 'oa', chatId: `app:${GROUP}`, chatType: 'group' },
        { type: 'text', text: 'x' },
        options('a'),
      ),
    ).rejects.toMatchObject({ code: 'wecom.app_has_no_groups' })
  })

  it('names come from user/get; unknown and external people stay without', async () => {
    const event = await house.ask('hi')

    expect((await house.adapter.hydrate(event, AbortSignal.timeout(5_000))).names).toEqual({
      'wecom:zhangsan': '张三',
    })
    const foreign = { ...event, sender: { user: 'unknown:woLZ' as UserKey, isBot: false, isExternal: true } }
    expect((await house.adapter.hydrate(foreign, AbortSignal.timeout(5_000))).names).toEqual({})
  })
})
