import { sql, type Transaction } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { MuteWish } from '../../../../src/approval/approvals.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createAccess } from '../../../../src/policy/access.ts'
import type { Address, UserKey } from '../../../../src/protocol/address.ts'
import { AppError } from '../../../../src/protocol/errors.ts'
import { mutedUntil, setMuted } from '../../../../src/store/repositories/mutes.ts'
import type { Database } from '../../../../src/store/schema.ts'
import { isEmbedded } from '../../../support/store.ts'
import { type GatewayStage, group, messageEvent, openGateway, person } from '../stage.ts'

let stage: GatewayStage
let muted: [string, number, string][]
let refusal: Error | undefined
const direct = { botId: 'ops', chatId: 'oc_p', chatType: 'direct' as const }

async function open(config: object): Promise<void> {
  muted = []
  refusal = undefined
  const approvals = {
    mute: async (trx: Transaction<Database>, { chatId, botId }: Address, { ms, agoMs, by }: MuteWish) => {
      if (refusal) throw refusal
      muted.push([chatId, ms, by])
      const saidAt = stage.clock.now() - agoMs
      const until = ms === 0 ? 0 : saidAt + ms
      return setMuted(trx, { chatId, botId }, { until, saidAt, by }, stage.clock.now())
    },
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

  it('W5: one that the store refused is carried out later as of its own moment, and undoes nothing newer', async () => {
    await open({ access: { admins: [boss] } })
    refusal = new AppError('store.full', 'the disk is full', { retryable: true })
    expect(await say('/mute', boss)).toBeUndefined()
    refusal = undefined
    await stage.clock.advance(60_000)
    expect(await say('/mute off', boss)).toBe('command.mute_off')
    await stage.clock.advance(60_000)
    await stage.gateway.recover()
    await stage.clock.advance(0)
    expect(stage.adapter.said()).toEqual(['command.mute_off', 'command.mute_overtaken'])
    expect(await mutedUntil(stage.store.db, group)).toBe(0)
  })

  it.runIf(isEmbedded)('W5: takes effect only with the closing of its row', async () => {
    await open({ access: { admins: [boss] } })
    await sql`create trigger refuse_closing before update on inbox begin select raise(abort, 'no'); end`.execute(
      stage.store.db,
    )
    await say('/mute', boss)
    expect(muted).toEqual([])
    expect(await mutedUntil(stage.store.db, group)).toBe(0)
  })
})
