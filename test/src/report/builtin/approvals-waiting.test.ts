import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { ApprovalsClient, OaApproval } from '../../../../src/protocol/oa-approval.ts'
import { AT, HOUR } from './records.ts'
import { context, reportStage } from './stage.ts'

const { reports, shown } = reportStage()

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
