import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FormInput } from '../../../../adapters/wecom/simulator/form.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { UserKey } from '../../../../src/protocol/address.ts'
import type { ToolContext, ToolResult } from '../../../../src/protocol/tool.ts'
import { createWecomApprovalTools } from '../../../../src/tools/wecom/index.ts'
import { ZONE } from '../../../support/zone.ts'
import { type House, passing, startHouse } from '../house.ts'

describe('approval forms', () => {
  let house: House
  beforeEach(async () => {
    house = await startHouse()
    house.sim.control.approvals.template({ templateId: 'T1', name: '采购报销', controls: [] })
  })
  afterEach(() => house.stop())

  const DAY = 86_400_000
  const form = (change: Partial<FormInput> = {}): FormInput => ({
    templateId: 'T1',
    applicant: 'zhangsan',
    steps: [{ rule: 'any', approvers: ['LiSi'] }],
    contents: [
      { control: 'Text', id: 'Text-1', title: '事由', value: { text: '测试机，电话 13812345678' } },
      { control: 'FutureX', id: 'x', title: '未来', value: { x: 1 } },
      { control: 'Money', id: 'Money-1', title: '金额', value: { new_money: '15000.50' } },
    ],
    ...change,
  })
  const context = (requester: UserKey, others?: readonly UserKey[]): ToolContext =>
    ({
      requester,
      ...(others ? { others } : {}),
      clock: house.sim.clock,
      text: createTranslate('zh-CN'),
      logger: { debug: () => undefined },
    }) as never

  const run = async (
    name: string,
    args: object,
    requester: UserKey = 'wecom:admin',
    others?: readonly UserKey[],
  ): Promise<ToolResult> => {
    const client = house.adapter.approvals
    if (!client) throw new Error('no client')
    const rule = (user: UserKey) =>
      user === 'wecom:admin' ? 'all' : user === 'wecom:zhangsan' ? 'own' : 'none'
    const tool = createWecomApprovalTools(client, rule, ZONE).find((one) => one.name === name)
    if (!tool) throw new Error(name)
    const parsed = tool.input.parse(args)
    return passing(
      house.sim,
      tool.run(parsed, context(requester, others), AbortSignal.timeout(15_000), { tool: name, args: parsed }),
      1_000,
    )
  }

  it('wecom 27, 28: 250 forms of 90 days come page by page, window by window, each once and in order', async () => {
    const now = house.sim.clock.now()
    const filed = Array.from({ length: 250 }, (_, index) =>
      house.sim.control.approvals.file(
        form({ filedAt: now - 89 * DAY + Math.floor((index * 88 * DAY) / 250) }),
      ),
    )
    // On the very second where two windows meet.
    const border = house.sim.control.approvals.file(form({ filedAt: now - 90 * DAY + 31 * DAY }))

    const result = await run('wecom_approval_list', { days: 90, size: 100 })

    if (!result.ok) throw new Error(result.error.message)
    const data = result.data as { numbers: string[]; total: number; complete: boolean }
    expect(data).toMatchObject({ total: 251, complete: true })
    expect(result.truncated).toEqual({ total: 251, returned: 100, next: 100 })
    const rest = await run('wecom_approval_list', { days: 90, size: 100, cursor: 100 })
    const last = await run('wecom_approval_list', { days: 90, size: 100, cursor: 200 })
    const all = [result, rest, last].flatMap((page) =>
      page.ok ? (page.data as { numbers: string[] }).numbers : [],
    )
    expect(new Set(all)).toEqual(new Set([...filed, border]))
    expect(all).toHaveLength(251)
    for (const entry of house.sim.control.journal())
      if (entry.name === 'oa/getapprovalinfo') expect(entry.errcode).toBe(0)
  })

  it('C2: whoever joins a run reads no forms with the eyes of the one whose run it is, nor the other way round', async () => {
    const number = house.sim.control.approvals.file(form())
    const refused = {
      ok: false,
      error: { type: 'refused', message: expect.stringContaining('several people') },
    }
    for (const [requester, other] of [
      ['wecom:admin', 'wecom:zhangsan'],
      ['wecom:zhangsan', 'wecom:admin'],
      ['wecom:zhangsan', 'wecom:lisi'],
    ] as const) {
      expect(await run('wecom_approval_list', {}, requester, [other])).toMatchObject(refused)
      expect(await run('wecom_approval_detail', { sp_no: number }, requester, [other])).toMatchObject(refused)
    }
    expect(await run('wecom_approval_list', {}, 'wecom:admin', ['wecom:admin'])).toMatchObject({ ok: true })
  })

  it('wecom 28: forms of people outside the visible range are absent, and an empty list says why', async () => {
    house.sim.control.approvals.file(form({ applicant: 'wangwu' }))

    expect(await run('wecom_approval_list', {})).toMatchObject({
      ok: true,
      text: expect.stringContaining('没有符合条件的审批单（只能看到申请人在应用可见范围内的单据）'),
    })
  })

  it('filters, and lists details when asked', async () => {
    const number = house.sim.control.approvals.file(form())
    house.sim.control.approvals.act(number, { type: 'approve', by: 'LiSi', speech: '同意' })
    house.sim.control.approvals.file(
      form({ applicant: 'LiSi', steps: [{ rule: 'any', approvers: ['zhangsan'] }] }),
    )
    await house.sim.clock.advance(5_000)

    const result = await run('wecom_approval_list', { sp_status: 2, details: true })

    expect(result).toMatchObject({ ok: true, data: { numbers: [number] } })
    expect(result.ok && result.text).toContain(`${number} · 采购报销 · 已通过 · 张三 · `)
  })

  it('wecom 29: a form reads as text with names, masked numbers, opinions and what is pending', async () => {
    const steps: FormInput['steps'] = [
      { rule: 'any', approvers: ['LiSi'] },
      { rule: 'all', approvers: ['wangwu'] },
    ]
    const number = house.sim.control.approvals.file(form({ steps, notify: ['LiSi'] }))
    house.sim.control.approvals.act(number, { type: 'comment', by: 'LiSi', text: '请补发票' })
    house.sim.control.approvals.act(number, { type: 'approve', by: 'LiSi', speech: '同意' })

    const result = await run('wecom_approval_detail', { sp_no: number })

    const text = result.ok ? result.text : result.error.message
    expect(text).toContain(`单号：${number}\n类型：采购报销\n状态：审批中\n申请人：张三（zhangsan）`)
    expect(text).toContain('- 事由：测试机，电话 138****5678\n- 金额：15000.50')
    expect(text).not.toContain('未来')
    expect(text).toContain(
      '流程：\n1. 审批：李四 已同意 2026-01-05 09:00「同意」\n2. 审批：wangwu 待处理\n3. 抄送：李四\n评论：',
    )
    expect(text).toContain('李四：请补发票')
  })

  it('others see their own forms only, strangers none', async () => {
    const own = house.sim.control.approvals.file(form())
    const other = house.sim.control.approvals.file(form({ applicant: 'LiSi' }))
    await house.sim.clock.advance(5_000)

    expect(await run('wecom_approval_list', { creator: 'LiSi' }, 'wecom:zhangsan')).toMatchObject({
      data: { numbers: [own] },
    })
    expect(await run('wecom_approval_detail', { sp_no: own }, 'wecom:zhangsan')).toMatchObject({ ok: true })
    expect(await run('wecom_approval_detail', { sp_no: other }, 'wecom:zhangsan')).toMatchObject({
      ok: false,
      error: { type: 'not_found' },
    })
    expect(await run('wecom_approval_list', {}, 'wecom:lisi')).toMatchObject({
      ok: false,
      error: { type: 'refused' },
    })
    expect(await run('wecom_approval_detail', { sp_no: own }, 'unknown:woLZ')).toMatchObject({
      error: { type: 'refused' },
    })
  })

  it('wecom 30: without permission the result and the doctor say where to click', async () => {
    const [app] = house.sim.control.corp.snapshot().apps
    if (!app) throw new Error('no app')
    house.sim.control.corp.app({ ...app, approvalAccess: false })

    expect(await run('wecom_approval_list', {})).toMatchObject({
      ok: false,
      error: { hint: expect.stringContaining('Approval → API → apps that may call') },
    })
    const findings = await house.adapter.diagnose(AbortSignal.timeout(10_000))
    expect(findings.map(({ check, ok }) => [check, ok])).toEqual([
      ['wecom.aibot.connection', true],
      ['wecom.app.secret', true],
      ['wecom.app.range', true],
      ['wecom.app.approvals', false],
      ['wecom.app.callback', true],
      ['wecom.robots', true],
    ])
    expect(findings[3]?.fix).toContain('Approval → API → apps that may call')
  })
})
