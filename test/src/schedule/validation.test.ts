import { beforeAll, describe, expect, it } from 'vitest'
import { ConfigError } from '../../../src/config/problem.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { isAppError } from '../../../src/protocol/errors.ts'
import { parseCron } from '../../../src/schedule/times.ts'
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
    ['four fields', { cron: '0 9 * *' }, /schedule\.cron_fields.*"0 9 \* \*".*0 9 \* \* 1-5/],
    ['an hour that does not exist', { cron: '0 25 * * *' }, /schedule\.cron_hour.*hour: 25/],
    ['a step of nothing', { cron: '*/0 * * * *' }, /schedule\.cron \|.*stepping/],
    ['six fields', { cron: '0 0 9 * * *' }, /schedule\.cron_fields.*6 fields/],
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

  it('wrong schedules of the file stop the start: all of them, each with line, place and remedy', async () => {
    const saved = await room.store.db.selectFrom('schedules').selectAll().execute()
    const refused = room.load(
      [
        daily({ id: 'good' }),
        daily({ cron: '0 25 * * 1-5' }),
        daily({ id: 'weekly', to: { bot: 'opps', chat: 'oc_group' } }),
        daily({ id: 'yearly', cron: '0 9 32 * *' }),
        daily({ id: 'odd', cron: '*/0 * * * *' }),
        daily({ id: 'over', cron: undefined, at: '2020-01-01T09:00' }),
      ],
      { file: 'yizhan.yaml', lineOf: (path) => 10 + Number(path[1]) },
    )
    const error: unknown = await refused.catch((thrown: unknown) => thrown)
    if (!(error instanceof ConfigError)) throw error
    expect(error.in(createTranslate('zh-CN')).list.split('\n').slice(1)).toEqual([
      '  yizhan.yaml:11  定时任务“daily”（schedules 第 2 项）：时间“0 25 * * 1-5”写得不对：小时要在 0–23 之间，不能是 25。',
      '      → 要写五段“分 时 日 月 星期”，例如 `0 9 * * 1-5` 表示周一到周五九点。',
      '  yizhan.yaml:12  定时任务“weekly”（schedules 第 3 项）：没有叫“opps”的机器人。',
      '      → 现有：ops',
      '  yizhan.yaml:13  定时任务“yearly”（schedules 第 4 项）：时间“0 9 32 * *”写得不对：日期要在 1–31 之间，不能是 32。',
      '      → 要写五段“分 时 日 月 星期”，例如 `0 9 * * 1-5` 表示周一到周五九点。',
      '  yizhan.yaml:14  定时任务“odd”（schedules 第 5 项）：时间“*/0 * * * *”写得不对：Syntax error, illegal stepping: 0',
      '      → 要写五段“分 时 日 月 星期”，例如 `0 9 * * 1-5` 表示周一到周五九点。',
    ])
    expect(error.in(createTranslate('en')).list).toContain(
      'schedules, item 2 (daily): The time “0 25 * * 1-5” is not right: hours go from 0 to 23, not 25.',
    )
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual(saved)
  })

  it.each([
    ['61 9 * * *', 'schedule.cron_minute', 61],
    ['0 9 0 * *', 'schedule.cron_day', 0],
    ['0 9 40W * *', 'schedule.cron_day', 40],
    ['0 9 1 13 *', 'schedule.cron_month', 13],
    ['0 9 * * 8', 'schedule.cron_weekday', 8],
    ['0 9-30 * * *', 'schedule.cron_hour', 24],
  ])('cron %j: %s, with the value as it is written', (cron, code, value) => {
    try {
      parseCron(cron, 'Asia/Shanghai')
      throw new Error('it was taken')
    } catch (error) {
      expect(error).toMatchObject({ code, params: { cron, value } })
    }
  })
})
