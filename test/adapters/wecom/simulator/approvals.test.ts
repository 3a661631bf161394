import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { APP, api, type Fixture, startCorp, tokenOf } from './fixture.ts'
import { CONTROLS } from './form-controls.ts'

const DAY = 86_400
const TEMPLATE = '3TmmAreimbursement'

describe('the approval app', () => {
  let sim: Fixture
  let token: string
  const base = () => Math.floor(sim.clock.now() / 1000)
  const file = (applicant = 'zhangsan', filedAt = sim.clock.now(), more: object = {}) =>
    sim.control.approvals.file({
      templateId: TEMPLATE,
      applicant,
      filedAt,
      steps: [
        { rule: 'any', approvers: ['LiSi', 'zhangsan'] },
        { rule: 'all', approvers: ['wangwu', 'LiSi'] },
      ],
      notify: ['wangwu'],
      contents: [],
      ...more,
    })
  const list = (body: object) =>
    api(sim, `oa/getapprovalinfo?access_token=${token}`, {
      starttime: String(base() - DAY),
      endtime: String(base() + DAY),
      new_cursor: '',
      size: 100,
      ...body,
    })
  const detail = (spNo: string) => api(sim, `oa/getapprovaldetail?access_token=${token}`, { sp_no: spNo })

  beforeEach(async () => {
    sim = await startCorp()
    token = await tokenOf(sim)
    sim.control.approvals.template({
      templateId: TEMPLATE,
      name: '采购报销',
      controls: [{ control: 'Money', id: 'Money-3', title: '金额', required: true }],
    })
  })
  afterEach(() => sim.stop())

  it('wecom 27: a window of 31 days is taken, 32 days and an inverted one are refused', async () => {
    const window = (days: number) => list({ starttime: String(base() - days * DAY), endtime: String(base()) })
    expect((await window(31)).errcode).toBe(0)
    expect((await window(32)).errcode).toBe(301025)
    expect((await window(-1)).errcode).toBe(301025)
    expect((await list({ size: 101 })).errcode).toBe(301025)
    expect((await list({ starttime: '' })).errcode).toBe(301025)
    expect((await api(sim, `oa/getapprovalinfo?access_token=${token}`)).errcode).toBe(40058)
  })

  it('wecom 27: 250 forms come in 3 pages, the last without new_next_cursor', async () => {
    const filed = Array.from({ length: 250 }, (_, i) => file('zhangsan', sim.clock.now() + i * 1000))
    const seen: string[] = []
    let cursor: string | undefined = ''
    let pages = 0
    while (cursor !== undefined) {
      const page: { sp_no_list: string[]; new_next_cursor?: string } = await list({ new_cursor: cursor })
      seen.push(...page.sp_no_list)
      cursor = page.new_next_cursor
      pages++
    }
    expect(pages).toBe(3)
    expect(seen).toEqual(filed)
  })

  it('wecom 27: departments add up, other keys must all fit, and only department repeats', async () => {
    const inTwo = file('zhangsan')
    const inFour = file('zhangsan', undefined, { department: 4 })
    file('LiSi', undefined, { department: 3 })
    sim.control.approvals.act(inFour, { type: 'reject', by: 'LiSi' })
    const found = async (...filters: [string, string][]) =>
      (await list({ filters: filters.map(([key, value]) => ({ key, value })) })).sp_no_list
    expect(await found(['department', '2'], ['department', '4'])).toEqual([inTwo, inFour])
    expect(await found(['department', '2'], ['department', '4'], ['sp_status', '3'])).toEqual([inFour])
    expect(await found(['creator', 'ZHANGSAN'], ['sp_status', '1'])).toEqual([inTwo])
    expect(await found(['template_id', 'other'])).toEqual([])
    expect(
      (
        await list({
          filters: [
            { key: 'creator', value: 'a' },
            { key: 'creator', value: 'b' },
          ],
        })
      ).errcode,
    ).toBe(301025)
    expect((await list({ filters: [{ key: 'approver', value: 'LiSi' }] })).errcode).toBe(301025)
  })

  it('forms of applicants outside the visible range are absent and make pages shorter', async () => {
    const mine = file('zhangsan')
    const hidden = file('wangwu')
    const page = await list({ size: 2 })
    expect(page.sp_no_list).toEqual([mine])
    expect((await detail(hidden)).errcode).toBe(301025)
    expect((await detail('209901010001')).errcode).toBe(301025)
  })

  it('wecom 29: the detail carries every control in its shape', async () => {
    const spNo = file('zhangsan', undefined, {
      contents: CONTROLS,
      files: { WWCISP_invoice: { name: '发票.pdf', bytes: Buffer.from('invoice bytes') } },
    })
    expect(spNo).toMatch(/^20260105\d{4}$/)
    const { info } = await detail(spNo)
    expect(info).toMatchObject({
      sp_no: spNo,
      sp_name: '采购报销',
      sp_status: 1,
      template_id: TEMPLATE,
      applyer: { userid: 'zhangsan', partyid: '2' },
      notifyer: [{ userid: 'wangwu' }],
    })
    const contents: { control: string; title: unknown; value: Record<string, unknown> }[] =
      info.apply_data.contents
    expect(contents.map((one) => one.control)).toEqual(CONTROLS.map((one) => one.control))
    for (const [index, control] of CONTROLS.entries()) {
      expect(contents[index]?.title).toEqual([{ text: control.title, lang: 'zh_CN' }])
      if (control.control !== 'Table') expect(contents[index]?.value).toMatchObject(control.value)
    }
    expect(contents[0]?.value).toEqual({
      text: '测试机采购',
      tips: [],
      members: [],
      departments: [],
      files: [],
      children: [],
      stat_field: [],
    })
    expect(contents[9]?.value.children).toMatchObject([
      { list: [{ title: [{ text: '单价', lang: 'zh_CN' }], value: { new_money: '5000.00' } }] },
    ])
    const got = await fetch(`${sim.url}/cgi-bin/media/get?access_token=${token}&media_id=WWCISP_invoice`)
    expect(await got.text()).toBe('invoice bytes')
  })

  it('wecom 29: undecided approvers have sptime 0; any-of ends with one, all-of with everyone', async () => {
    const spNo = file()
    const { approvals } = sim.control
    expect(approvals.waitingFor('lisi')).toEqual([spNo])
    expect(() => approvals.act(spNo, { type: 'approve', by: 'wangwu' })).toThrow('does not wait')
    await sim.clock.advance(60_000)
    approvals.act(spNo, { type: 'approve', by: 'LiSi', speech: '同意' })
    const { info } = await detail(spNo)
    expect(info.sp_record).toEqual([
      {
        sp_status: 2,
        approverattr: 1,
        details: [
          { approver: { userid: 'LiSi' }, speech: '同意', sp_status: 2, sptime: base(), media_id: [] },
          { approver: { userid: 'zhangsan' }, speech: '', sp_status: 1, sptime: 0, media_id: [] },
        ],
      },
      {
        sp_status: 1,
        approverattr: 2,
        details: [
          { approver: { userid: 'wangwu' }, speech: '', sp_status: 1, sptime: 0, media_id: [] },
          { approver: { userid: 'LiSi' }, speech: '', sp_status: 1, sptime: 0, media_id: [] },
        ],
      },
    ])
    approvals.act(spNo, { type: 'approve', by: 'wangwu' })
    expect(approvals.status(spNo)).toBe(1)
    approvals.act(spNo, { type: 'approve', by: 'LiSi' })
    expect(approvals.status(spNo)).toBe(2)
  })

  it.each([
    ['all-is-1', [2, 1]],
    ['any-is-1', [1, 2]],
  ] as const)('numbers apv_rel by the setting %s', async (setting, expected) => {
    sim.control.settings.apvRel = setting
    const { info } = await detail(file())
    const nodes: { node_type: number; apv_rel?: number }[] = info.process_list.node_list
    expect(nodes.map((node) => node.node_type)).toEqual([1, 1, 2])
    expect(nodes.slice(0, 2).map((node) => node.apv_rel)).toEqual(expected)
  })

  it('knows every way a form ends', () => {
    const { approvals } = sim.control
    const done = () => {
      const spNo = file()
      for (const by of ['LiSi', 'wangwu', 'LiSi']) approvals.act(spNo, { type: 'approve', by })
      return spNo
    }
    const ended = [file(), file(), done(), done(), file()]
    const [rejected = '', withdrawn = '', undone = '', paid = '', deleted = ''] = ended
    approvals.act(rejected, { type: 'reject', by: 'zhangsan', speech: '缺发票' })
    approvals.act(withdrawn, { type: 'withdraw', by: 'zhangsan' })
    approvals.act(undone, { type: 'withdraw', by: 'zhangsan' })
    approvals.act(paid, { type: 'pay', by: 'wangwu' })
    approvals.act(deleted, { type: 'delete', by: 'zhangsan' })
    expect(ended.map((spNo) => approvals.status(spNo))).toEqual([3, 4, 6, 10, 7])
    const moved = file()
    approvals.act(moved, { type: 'transfer', by: 'LiSi', to: 'wangwu' })
    expect(approvals.waitingFor('wangwu')).toEqual([moved])
    expect(() => approvals.act(moved, { type: 'withdraw', by: 'LiSi' })).toThrow('applicant')
  })

  it('gives the template, and 301026 for an unknown one', async () => {
    const get = (id: string) => api(sim, `oa/gettemplatedetail?access_token=${token}`, { template_id: id })
    expect(await get(TEMPLATE)).toMatchObject({
      errcode: 0,
      template_names: [{ text: '采购报销', lang: 'zh_CN' }],
      template_content: {
        controls: [{ property: { control: 'Money', id: 'Money-3', require: 1, un_print: 0 } }],
      },
    })
    expect((await get('nothing')).errcode).toBe(301026)
  })

  it('wecom 30: an app without approval permission gets 301055 on every read', async () => {
    sim.control.corp.app({ ...APP, name: '无权限', visible: { departments: [1] } })
    expect((await list({})).errcode).toBe(301055)
    expect((await detail('1')).errcode).toBe(301055)
    expect((await api(sim, `oa/gettemplatedetail?access_token=${token}`, { template_id: 'x' })).errcode).toBe(
      301055,
    )
  })

  it('answers 45009 beyond 600 reads a minute', async () => {
    const spNo = file()
    for (let i = 0; i < 600; i++) await detail(spNo)
    expect((await detail(spNo)).errcode).toBe(45009)
    await sim.clock.advance(60_000)
    expect((await detail(spNo)).errcode).toBe(0)
  })
})
