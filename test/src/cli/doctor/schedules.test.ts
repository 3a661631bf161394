import { describe, expect, it } from 'vitest'
import { checkSchedules } from '../../../../src/cli/doctor/schedules.ts'
import { createSpeech } from '../../../../src/cli/doctor/speech.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createTranslate } from '../../../../src/locale/index.ts'

describe('the doctor and the schedules of the file', () => {
  const bots = [
    { id: 'ops', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 's' },
    { id: 'corp', platform: 'wecom', groupRobots: { finance: 'k'.repeat(36) } },
  ]
  const reports = { saved: { weekly: { report: 'usage', about: '用量' } } }
  const to = { bot: 'ops', chat: 'oc_1' }
  const speech = createSpeech('zh-CN', createTranslate('zh-CN'))

  it.each([
    [{ cron: '0 9 * * *', prompt: 'x' }, undefined, undefined],
    [
      { cron: '0 25 * * *', prompt: 'x' },
      'yizhan.yaml:7  时间“0 25 * * *”写得不对：小时要在 0–23 之间，不能是 25。',
      '要写五段“分 时 日 月 星期”，例如 `0 9 * * 1-5` 表示周一到周五九点。',
    ],
    [
      { prompt: 'x' },
      'yizhan.yaml:7  执行时间要写一个，也只能写一个。',
      '请写 cron（例如 `0 9 * * 1-5`）或 at（例如 `2026-12-24T09:00`）。',
    ],
    [
      { cron: '0 9 * * *' },
      'yizhan.yaml:7  执行内容要写一个，也只能写一个。',
      '请写 prompt（每次要做的事）或 report（报表名）。',
    ],
    [
      { cron: '0 9 * * *', report: 'sales' },
      'yizhan.yaml:7  没有叫“sales”的报表。',
      '现有：weekly, approvals_waiting, usage, tool_failures, sql, csv, json',
    ],
    [{ cron: '0 9 * * *', report: 'weekly' }, undefined, undefined],
    [
      { cron: '0 9 * * *', prompt: 'x', to: { bot: 'opss', chat: 'oc_1' } },
      'yizhan.yaml:7  没有叫“opss”的机器人。',
      '现有：ops, corp',
    ],
    [
      { cron: '0 9 * * *', prompt: 'x', to: { bot: 'corp', chat: 'robot:sales' } },
      'yizhan.yaml:7  没有配置叫“sales”的群机器人。',
      '现有：finance',
    ],
    [
      { cron: '0 9 * * *', prompt: 'x', approvals: 'wait', to: { bot: 'corp', chat: 'robot:finance' } },
      'yizhan.yaml:7  群机器人里不能显示审批卡片。',
      'approvals 请用 skip，或改发到机器人所在的会话。',
    ],
  ])('%j: %s → %s', (fields, detail, fix) => {
    const config = configSchema.parse({ bots, reports, schedules: [{ id: 'daily', to, ...fields }] })
    const [found] = checkSchedules(
      config,
      Date.parse('2026-12-01T00:00:00Z'),
      speech,
      () => 'yizhan.yaml:7  ',
    )
    if (detail === undefined) expect(found).toMatchObject({ ok: true })
    else expect(found).toEqual({ check: 'schedule:daily', ok: false, detail, fix })
  })
})
