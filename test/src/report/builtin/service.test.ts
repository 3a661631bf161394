import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { Address } from '../../../../src/protocol/address.ts'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { ApprovalsClient, OaApproval } from '../../../../src/protocol/oa-approval.ts'
import type { ReportContext, Reports } from '../../../../src/protocol/report.ts'
import { createReports } from '../../../../src/report/reports.ts'
import { createSourceReader } from '../../../../src/report/sources/reader.ts'
import { createWorkshop } from '../../../../src/report/workshop.ts'
import type { Store } from '../../../../src/store/store.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'

const HOUR = 3_600_000
/** Monday, 09:00 in Shanghai; yesterday is the 29th. */
const AT = Date.parse('2026-11-30T01:00:00Z')
const YESTERDAY = Date.parse('2026-11-29T04:00:00Z')
const BEFORE = YESTERDAY - 24 * HOUR
const text = createTranslate('zh-CN')
const clock = createSystemClock()
const workshop = createWorkshop(clock)
let store: Store

async function session(chat: string, name: string | null): Promise<void> {
  await store.db
    .insertInto('sessions')
    .values({
      ...{
        id: chat,
        bot_id: 'ops',
        chat_id: chat,
        chat_type: 'group',
        thread_id: null,
        epoch: 0,
        model: null,
      },
      ...{
        lease_owner: null,
        lease_until: 0,
        fence: 0,
        stop_requested: 0,
        compact_requested: 0,
        grants: '[]',
      },
      ...{ closed_reason: null, created_at: 0, updated_at: 0 },
    })
    .execute()
  if (name === null) return
  await store.db
    .insertInto('chats')
    .values({ bot_id: 'ops', chat_id: chat, state: 'present', name, updated_at: 0 })
    .execute()
}

let runs = 0
async function run(chat: string, at: number, more: object = {}): Promise<void> {
  await store.db
    .insertInto('runs')
    .values({
      ...{
        id: `r${++runs}`,
        session_id: chat,
        state: 'done',
        requester: 'feishu:ou_a',
        reply_to: null,
        live: null,
      },
      ...{ crashes: 0, steps: 2, input_tokens: 1_000, output_tokens: 100, cached_tokens: 0, model: 'glm' },
      ...{ cost: 0.1, currency: 'CNY', reason: null, started_at: at, ended_at: at + 10_000 },
      ...more,
    })
    .execute()
}

async function result(
  chat: string,
  at: number,
  tool: string,
  error?: { type: string; message: string },
): Promise<void> {
  const payload = {
    type: 'result',
    callId: 'c',
    tool,
    ok: error === undefined,
    text: '',
    ms: 5,
    ...(error && { error }),
  }
  await store.db
    .insertInto('session_log')
    .values({
      ...{ session_id: chat, epoch: 0, run_id: 'r', fence: 0, type: 'result', created_at: at },
      payload: JSON.stringify(payload),
    })
    .execute()
}

async function waiting(chat: string, code: string, ageMs: number, more: object = {}): Promise<void> {
  await store.db
    .insertInto('approvals')
    .values({
      ...{ id: code, session_id: chat, run_id: 'r', call_id: code, bot_id: 'ops', chat_id: chat },
      ...{ call: '{"tool":"shell","command":"export TOKEN=secret-word"}', digest: '', findings: '{}' },
      ...{
        requester: 'feishu:ou_a',
        approvers: '["feishu:ou_b","feishu:ou_c"]',
        quorum: 1,
        nonce: code,
        code,
      },
      ...{
        status: 'pending',
        scope: null,
        decided_by: null,
        decided_name: null,
        decided_at: null,
        reason: null,
      },
      ...{ consumed_at: null, expires_at: AT + HOUR, created_at: AT - ageMs },
      ...more,
    })
    .execute()
}

beforeAll(async () => {
  store = await openTestStore()
  await session('oc_1', '财务群')
  await session('oc_2', null)
  await run('oc_1', YESTERDAY)
  await run('oc_1', YESTERDAY + HOUR, { state: 'failed', cost: 0.2 })
  await run('oc_2', YESTERDAY, { model: 'claude', cost: 0.5, currency: 'USD' })
  await run('oc_2', YESTERDAY, { state: 'running', ended_at: null, cost: null, currency: null })
  await run('oc_1', BEFORE)
  await run('oc_1', AT)
  await result('oc_1', YESTERDAY, 'shell')
  await result('oc_1', YESTERDAY, 'shell', { type: 'timeout', message: '超过 60 秒\n更多' })
  await result('oc_1', YESTERDAY, 'shell', { type: 'timeout', message: '超过 90 秒' })
  await result('oc_2', YESTERDAY, 'read_file', { type: 'not_found', message: '没有 a.txt' })
  await result('oc_1', BEFORE, 'shell')
  await waiting('oc_1', 'AAAA22', 26 * HOUR)
  await waiting('oc_2', 'BBBB33', HOUR / 2)
  await waiting('oc_1', 'GONE44', 90 * HOUR, { expires_at: AT - 1 })
  await waiting('oc_1', 'DONE55', 90 * HOUR, { status: 'approved' })
  const people = [
    { user: 'feishu:ou_a', name: '张三' },
    { user: 'feishu:ou_b', name: '王芳' },
  ]
  await store.db
    .insertInto('people')
    .values(people.map((one) => ({ ...one, updated_at: 0 })))
    .execute()
})
afterAll(async () => {
  await workshop.close()
  await store.close()
})

const config = { sources: {}, rows: 1_000, megabytes: 16, seconds: 30 }
function reports(clients: readonly ApprovalsClient[] = []): Reports {
  const reader = createSourceReader({
    ...{ config, db: store.db, workshop, companyApprovals: () => clients },
    fetch: async () => ({ status: 500, body: new Uint8Array() }),
    mayRead: (_, { requester }) => requester === 'feishu:ou_admin',
  })
  return createReports({
    saved: {},
    reader,
    workshop,
    font: undefined,
    print: async () => new Uint8Array(),
    text,
  })
}

const chat = (chatId: string): Address => ({ botId: 'ops', chatId, chatType: 'group' })
const context = (
  requester: ReportContext['requester'] = 'feishu:ou_admin',
  chatId = 'oc_1',
): ReportContext => ({
  ...{ at: AT, timezone: 'Asia/Shanghai', locale: 'zh-CN', text, clock, logger: createCollectingLogger() },
  ...{ address: chat(chatId), requester, signal: AbortSignal.timeout(60_000) },
})
const shown = async (
  name: string,
  params: object = {},
  ctx = context(),
  clients: readonly ApprovalsClient[] = [],
) => (await reports(clients).render(name, { ...params }, ctx)).markdown.split('\n')

describe('usage and cost', () => {
  it('counts the runs of yesterday; money of two currencies is never added up', async () => {
    expect(await shown('usage')).toEqual([
      '**使用量与费用** · 昨天（11月29日）',
      '',
      '- 任务数：**4 次**（较前一天 ↑ 300%，前一天为 1 次）',
      '- 完成率：**66.7%**（较前一天 ↓ 33.3 个百分点，前一天为 100%）',
      '- 输入 token：**4,000**（较前一天 ↑ 300%，前一天为 1,000）',
      '- 输出 token：**400**（较前一天 ↑ 300%，前一天为 100）',
      '- 费用：**0.3 元**（较前一天 ↑ 200%，前一天为 0.1 元）',
      '- 费用：**0.5 美元**（前一天为 0）',
      '- 平均用时：**10 秒**（与前一天持平）',
      '',
      '**各模型的使用量**',
      '',
      '| 模型 | 任务数 | 输入 token | 输出 token | 费用（CNY） | 费用（USD） |',
      '| :--- | ---: | ---: | ---: | ---: | ---: |',
      '| glm | 3 | 3000 | 300 | 0.3 | 0 |',
      '| claude | 1 | 1000 | 100 | 0 | 0.5 |',
      '',
      '**各会话的使用量**',
      '',
      '| 会话 | 任务数 | 输入 token | 输出 token | 费用（CNY） | 费用（USD） |',
      '| :--- | ---: | ---: | ---: | ---: | ---: |',
      '| 财务群 | 2 | 2000 | 200 | 0.3 | 0 |',
      '| oc_2 | 2 | 2000 | 200 | 0 | 0.5 |',
    ])
  })

  it('shows a chat that is no administrator only itself', async () => {
    const lines = await shown('usage', {}, context('feishu:ou_member', 'oc_2'))

    expect(lines[2]).toBe('- 任务数：**2 次**（前一天无数据）')
    expect(lines.join()).not.toContain('财务群')
  })

  it('draws every day of a week, a day without runs as zero', async () => {
    const report = await reports().render('usage', { period: 'last_7_days', attach: ['csv'] }, context())

    expect(report.images.map((image) => image.name)).toEqual(['每天的任务数.png'])
    const [file] = report.files
    const csv = file && 'bytes' in file ? Buffer.from(file.bytes).toString() : ''
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      '\ufeff开始时间,用时（秒）,状态,发起人,会话,模型,步数,输入 token,输出 token,缓存 token,费用,币种',
      '2026-11-28 12:00:00,10,done,张三,财务群,glm,2,1000,100,0,0.1,CNY',
    ])
  })
})

describe('tool failures', () => {
  it('are counted by tool and kind, with the newest message', async () => {
    expect(await shown('tool_failures')).toEqual([
      '**工具失败情况** · 昨天（11月29日）',
      '',
      '- 调用次数：**4 次**（较前一天 ↑ 300%，前一天为 1 次）',
      '- 失败次数：**3 次**（前一天为 0）',
      '- 失败率：**75%**（较前一天 ↑ 75 个百分点，前一天为 0%）',
      '',
      '| 工具 | 错误 | 失败 | 调用 | 最近一次 |',
      '| :--- | :--- | ---: | ---: | :--- |',
      '| shell | timeout | 2 | 3 | 超过 90 秒 |',
      '| read_file | not_found | 1 | 1 | 没有 a.txt |',
    ])
  })
})

const person = (name: string) => ({ user: `wecom:${name}` as const, name })
function form(number: string, ageMs: number): OaApproval {
  return {
    ...{
      number,
      name: '费用报销',
      statusCode: 1,
      status: '审批中',
      applicant: person('李四'),
      onBehalfOf: [],
    },
    ...{ appliedAt: AT - ageMs, fields: [], copied: [], comments: [] },
    steps: [
      // Anybody of this step was enough: 孙琪 is no longer waited for.
      {
        ...{ kind: 'approver', status: '已同意', open: false },
        people: [
          { person: person('赵敏'), status: '已同意', comment: '', at: AT },
          { person: person('孙琪'), status: '审批中', comment: '' },
        ],
      },
      {
        kind: 'approver',
        status: '审批中',
        open: true,
        people: [{ person: person('周总'), status: '', comment: '' }],
      },
      {
        kind: 'approver',
        status: '审批中',
        open: true,
        people: [{ person: person('吴董'), status: '', comment: '' }],
      },
    ],
  }
}

describe('approvals waiting', () => {
  const company: ApprovalsClient = {
    list: async (query) => ({ numbers: query.status === 1 ? ['20261127001'] : [], complete: true }),
    detail: async (number) => form(number, 75 * HOUR),
  }

  it('shows commands and forms together, the oldest first, and never the command itself', async () => {
    const report = await reports([company]).render('approvals_waiting', {}, context())

    expect(report.markdown.split('\n')).toEqual([
      '**待审批事项** · 近 30 天提交',
      '',
      '- 待批准的操作：**2 条**',
      '- 其中最长已等：**26 小时**',
      '- 审批中的单据：**1 条**',
      '- 其中最长已等：**75 小时**',
      '',
      '| 事项 | 申请人 | 等待 | 已等待 | 编号 |',
      '| :--- | :--- | :--- | :--- | :--- |',
      '| 费用报销 | 李四 | 周总 | 3 天 3 小时 | 20261127001 |',
      '| shell | 张三 | 王芳、feishu:ou_c | 1 天 2 小时 | AAAA22 |',
      '| shell | 张三 | 王芳、feishu:ou_c | 30 分钟 | BBBB33 |',
    ])
    expect(report.images.map((image) => image.name)).toEqual(['已等待的时间.png', '待审批最多的人.png'])
  })

  it('the company being away is a note, and the commands are there', async () => {
    const away: ApprovalsClient = {
      ...company,
      list: async () => {
        throw new AppError('wecom.away', 'errcode 60020', { hint: '请检查可信 IP。' })
      },
    }
    const lines = await shown('approvals_waiting', {}, context(), [away])

    expect(lines[2]).toBe('> ⚠️ 企业微信审批暂时读不到，没有计入：请检查可信 IP。')
    expect(lines).toContain('- 待批准的操作：**2 条**')
  })

  it('nothing waiting is said as such', async () => {
    const report = await reports().render('approvals_waiting', {}, context('feishu:ou_member', 'oc_9'))

    expect(report.markdown).toBe('**待审批事项**\n\n目前没有等待审批的事项。\n\n- 待批准的操作：**0 条**')
    expect(report.images).toEqual([])
  })
})
