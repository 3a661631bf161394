import { afterEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createAccess } from '../../../../src/policy/access.ts'
import type { Address, UserKey } from '../../../../src/protocol/address.ts'
import { type GatewayStage, group, messageEvent, openGateway, person } from '../stage.ts'

let stage: GatewayStage
let muted: [string, number, string][]
const direct = { botId: 'ops', chatId: 'oc_p', chatType: 'direct' as const }

async function open(config: object): Promise<void> {
  muted = []
  const approvals = {
    mute: async ({ chatId }: Address, ms: number, by: string) => void muted.push([chatId, ms, by]),
  }
  stage = await openGateway({
    access: createAccess(configSchema.parse(config)),
    approvals: approvals as never,
  })
}
afterEach(() => stage.close())

async function say(text: string, user: UserKey, change: object = {}): Promise<string | undefined> {
  await stage.gateway.receive(messageEvent({ text, mentionsBot: true, sender: person(user), ...change }))
  await stage.gateway.drain()
  await stage.clock.advance(0)
  return stage.adapter.said().at(-1)
}

const boss = 'feishu:ou_boss'
const member = 'feishu:ou_1'

describe('C20: /mute', () => {
  it.each([
    ['/mute', 60],
    ['/mute 5', 5],
    ['/mute 2h', 120],
    ['/静音 30 分钟', 30],
    ['/免打扰 1小时', 60],
  ])('%s: an approver is left alone for %i minutes in this chat', async (words, minutes) => {
    await open({ access: { admins: [boss] } })
    expect(await say(words, boss)).toBe(`command.mute minutes=${minutes}`)
    expect(muted).toEqual([['oc_1', minutes * 60_000, boss]])
  })

  it.each(['/mute off', '/静音 关', '/mute 0'])('%s ends it', async (words) => {
    await open({ access: { admins: [boss] } })
    expect(await say(words, boss)).toBe('command.mute_off')
    expect(muted).toEqual([['oc_1', 0, boss]])
  })

  it.each(['/mute 25h', '/mute never', '/mute -5', '/mute 1441'])('%s changes nothing', async (words) => {
    await open({ access: { admins: [boss] } })
    expect(await say(words, boss)).toBe('command.mute_usage most=24')
    expect(muted).toEqual([])
  })

  it.each<[string, object, UserKey, object]>([
    ['who is no approver', { access: { admins: [boss] } }, member, {}],
    ['who only decides on requests of his own', { approval: { approvers: 'requester' } }, member, {}],
    [
      'an approver’s twin from another company',
      { access: { admins: [boss] } },
      boss,
      { sender: person(boss, { isExternal: true }) },
    ],
  ])('is not for %s', async (_who, config, user, change) => {
    await open(config)
    expect(await say('/mute', user, change)).toBe('command.mute_refused')
    expect(muted).toEqual([])
  })

  it('is for the only person of a direct chat without approvers', async () => {
    await open({})
    expect(await say('/mute 5', member, { address: direct })).toBe('command.mute minutes=5')
    expect(await say('/mute 5', member, { address: group })).toBe('command.mute_refused')
  })
})
