import { beforeAll, describe, expect, it } from 'vitest'
import { isAppError } from '../../../src/protocol/errors.ts'
import { setChatState } from '../../../src/store/repositories/chats.ts'
import { ADMIN, asker, daily, openRoom, type Room } from './fixture.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
  await setChatState(room.store.db, 'ops', 'oc_left', 'removed', 0)
  await setChatState(room.store.db, 'ops', 'oc_known', 'present', 0)
})

async function refusal(fields: Record<string, unknown>, user = asker().user): Promise<string> {
  const wanted = { cron: '0 9 * * *', prompt: '昨天的销售额', ...fields }
  try {
    await room.desk.propose({ action: 'create', fields: wanted }, asker(user), JSON.stringify(fields) + user)
    return 'saved'
  } catch (error) {
    if (!isAppError(error)) throw error
    return `${error.code} | ${error.message} | ${error.hint}`
  }
}

describe('a schedule that is wrong is refused when it is proposed, with the place and an example', () => {
  it.each([
    ['four fields', { cron: '0 9 * *' }, /schedule\.cron.*"0 9 \* \*".*0 9 \* \* 1-5/],
    ['an hour that does not exist', { cron: '0 25 * * *' }, /schedule\.cron.*hour: 25/],
    ['a step of nothing', { cron: '*/0 * * * *' }, /schedule\.cron.*stepping/],
    ['six fields', { cron: '0 0 9 * * *' }, /schedule\.cron.*5 parts/],
    ['a day that never comes', { cron: '0 9 31 2 *' }, /schedule\.never.*0 9 1 \* \*/],
    ['a misspelt zone', { timezone: 'Asia/Shangai' }, /schedule\.zone.*Asia\/Shangai.*Asia\/Shanghai/],
    ['an offset for a zone', { timezone: '+08:00' }, /schedule\.zone/],
    ['a time that is over', { cron: undefined, at: '2026-11-30T09:00' }, /schedule\.past.*2026-11-30T09:00/],
    [
      'a date that does not exist',
      { cron: undefined, at: '2026-13-41T09:00' },
      /schedule\.field.*at:.*2026-12-24T09:00/,
    ],
    ['both cron and at', { at: '2026-12-24T09:00' }, /schedule\.when/],
    ['neither prompt nor report', { prompt: undefined }, /schedule\.what/],
    ['an unknown report', { prompt: undefined, report: 'nothing' }, /schedule\.report.*nothing/],
    ['an unknown field', { crom: '0 9 * * *' }, /schedule\.field.*crom.*cron, at/],
    ['hours that end before they begin', { hours: '18:00-09:00' }, /schedule\.field.*hours/],
    ['another chat, by no administrator', { to: { bot: 'ops', chat: 'oc_known' } }, /schedule\.other_chat/],
    [
      'commands without approval, by no administrator',
      { preapproved: [{ command: 'ls', until: '2026-12-31' }] },
      /schedule\.admin_only/,
    ],
  ])('%s', async (_name, fields, words) => {
    expect(await refusal(fields)).toMatch(words)
  })

  it.each([
    ['a bot that is not configured', { to: { bot: 'opps', chat: 'oc_known' } }, /schedule\.bot.*"opps".*ops/],
    [
      'a chat that nobody has seen',
      { to: { bot: 'ops', chat: 'oc_nowhere' } },
      /schedule\.chat .*oc_nowhere/,
    ],
    ['a chat that the bot has left', { to: { bot: 'ops', chat: 'oc_left' } }, /schedule\.chat_gone.*removed/],
    [
      'a group robot without a key',
      { to: { bot: 'ops', chat: 'robot:sales' } },
      /schedule\.robot.*"sales".*finance/,
    ],
    [
      'approvals at a group robot',
      { to: { bot: 'ops', chat: 'robot:finance' }, approvals: 'wait' },
      /schedule\.robot_wait/,
    ],
  ])('by an administrator: %s', async (_name, fields, words) => {
    expect(await refusal(fields, ADMIN)).toMatch(words)
  })

  it('an administrator may name another chat and a group robot', async () => {
    expect(await refusal({ to: { bot: 'ops', chat: 'oc_known' } }, ADMIN)).toBe('saved')
    expect(await refusal({ to: { bot: 'ops', chat: 'robot:finance' } }, ADMIN)).toBe('saved')
  })

  it('a wrong schedule of the file names its place and stops the start', async () => {
    await expect(room.load([daily(), daily({ id: 'second', cron: '0 9 * *' })])).rejects.toThrow(
      /schedules\[1\] \(second\): cron "0 9 \* \*"/,
    )
  })
})
