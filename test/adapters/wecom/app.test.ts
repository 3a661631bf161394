import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wecomError } from '../../../adapters/wecom/errors.ts'
import { appChat } from '../../../adapters/wecom/simulator/control.ts'
import type { FormInput } from '../../../adapters/wecom/simulator/form.ts'
import { createTokenSource } from '../../../adapters/wecom/token.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { UserKey } from '../../../src/protocol/address.ts'
import type { Card } from '../../../src/protocol/card.ts'
import type { ToolContext, ToolResult } from '../../../src/protocol/tool.ts'
import { createWecomApprovalTools } from '../../../src/tools/wecom/index.ts'
import { createManualClock } from '../../support/clock.ts'
import { type House, passing, startHouse, textOf, until } from './house.ts'
import { APP, GROUP } from './simulator/fixture.ts'
import { options } from './twins.ts'

const ZHANGSAN = { botId: 'oa', chatId: 'app:zhangsan', chatType: 'direct' as const }
const calls = (house: House, name: string): number =>
  house.sim.control.journal().filter((entry) => entry.name === name).length

describe('tokens', () => {
  it('wecom 25: twenty callers at once make one gettoken', async () => {
    let fetched = 0
    const tokens = createTokenSource(
      async () => ({ access_token: `t${++fetched}`, expires_in: 7_200 }),
      createManualClock(),
    )

    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get()))

    expect(new Set(got)).toEqual(new Set(['t1']))
    expect(fetched).toBe(1)
  })

  it('wecom 25: a refused token is dropped once, a second refusal surfaces', async () => {
    let fetched = 0
    const tokens = createTokenSource(
      async () => ({ access_token: `t${++fetched}`, expires_in: 7_200 }),
      createManualClock(),
    )
    const used: string[] = []

    const call = tokens.with(async (token) => {
      used.push(token)
      throw wecomError(42001, 'expired', 'x')
    })

    await expect(call).rejects.toMatchObject({ code: 'wecom.token_rejected' })
    expect(used).toEqual(['t1', 't2'])
  })

  it('renews two minutes before the end, and never repeats a wrong secret by itself', async () => {
    const clock = createManualClock()
    let fetched = 0
    const tokens = createTokenSource(async () => {
      fetched++
      if (fetched === 2) throw wecomError(40001, 'bad secret', 'gettoken')
      return { access_token: `t${fetched}`, expires_in: 7_200 }
    }, clock)
    await tokens.get()
    await clock.advance(7_079_000)
    expect(await tokens.get()).toBe('t1')
    await clock.advance(2_000)

    await expect(tokens.get()).rejects.toMatchObject({ code: 'wecom.bad_secret', retryable: false })
    expect(fetched).toBe(2)
  })
})

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

describe('group robots', () => {
  let house: House
  beforeEach(async () => {
    house = await startHouse()
  })
  afterEach(() => house.stop())
  const DAILY = { botId: 'oa', chatId: 'robot:daily', chatType: 'group' as const }

  it('wecom 35: the 21st report of a minute waits for the next, and none is lost', async () => {
    const sending = Promise.all(
      Array.from({ length: 21 }, (_, index) =>
        house.adapter.send(DAILY, { type: 'markdown', markdown: `日报 ${index}` }, options(`r${index}`)),
      ),
    )
    await until(() => house.said().length === 20)

    await passing(house.sim, sending)

    expect(house.said().map(textOf)).toEqual(Array.from({ length: 21 }, (_, index) => `日报 ${index}`))
  })

  it('wecom 35: 45009 is retryable after a minute', async () => {
    house.sim.control.faults.add({ name: 'webhook/send', effect: 'error', errcode: 45009 })

    await expect(
      house.adapter.send(DAILY, { type: 'markdown', markdown: 'x' }, options('r')),
    ).rejects.toMatchObject({
      code: 'wecom.rate_limited',
      retryAfterMs: 60_000,
    })
  })

  it('an unknown robot names the known ones; buttons are refused', async () => {
    await expect(
      house.adapter.send({ ...DAILY, chatId: 'robot:x' }, { type: 'text', text: 'x' }, options('r')),
    ).rejects.toMatchObject({ code: 'wecom.unknown_robot', hint: expect.stringContaining('daily') })
    const card: Card = {
      title: 't',
      tone: 'info',
      blocks: [],
      buttons: [{ text: 'a', style: 'primary', value: { a: 'b' } }],
      summary: 's',
      cardId: 'c',
    }
    await expect(house.adapter.send(DAILY, { type: 'card', card }, options('r'))).rejects.toMatchObject({
      code: 'wecom.card_refused',
    })
  })
})

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
    const tool = createWecomApprovalTools(client, rule).find((one) => one.name === name)
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
    expect(result.ok && result.text).toContain(`${number} · 采购报销 · 已通过（2） · 张三 · `)
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
    expect(text).toContain(`单号：${number}\n类型：采购报销\n状态：审批中（1）\n申请人：张三（zhangsan）`)
    expect(text).toContain('- 事由：测试机，电话 138****5678\n- 金额：15000.50')
    expect(text).not.toContain('未来')
    expect(text).toMatch(/李四 已同意 2026-01-05 09:00「同意」/)
    expect(text).toMatch(/wangwu 待处理(\n|$|；)/)
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
