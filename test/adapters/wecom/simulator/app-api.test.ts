import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appChat } from '../../../../adapters/wecom/simulator/control.ts'
import {
  AES_KEY,
  APP,
  api,
  buttonCard,
  CORP_ID,
  type Fixture,
  GROUP,
  jsonOf,
  startCorp,
  TOKEN,
  tokenOf,
} from './fixture.ts'

const SILENT_CALLBACK = { url: 'http://127.0.0.1:9/none', token: TOKEN, aesKey: AES_KEY }

describe('the API of a self-built app', () => {
  let sim: Fixture
  let token: string
  const chat = appChat(APP.agentId, 'zhangsan')
  const send = (body: object) =>
    api(sim, `message/send?access_token=${token}`, { agentid: APP.agentId, ...body })
  const text = (content: string) => ({ touser: 'zhangsan', msgtype: 'text', text: { content } })
  const shown = (key = chat) => sim.control.transcript(key).map((message) => message.content)
  beforeEach(async () => {
    sim = await startCorp()
    token = await tokenOf(sim)
  })
  afterEach(() => sim.stop())

  it('wecom 25: gettoken repeats the same token while it lives; after 7200 s it is 42001', async () => {
    expect(await tokenOf(sim)).toBe(token)
    await sim.clock.advance(7_200_000)
    expect((await send(text('x'))).errcode).toBe(42001)
    const next = await tokenOf(sim)
    expect(next).not.toBe(token)
    token = next
    expect((await send(text('x'))).errcode).toBe(0)
    sim.control.settings.sameToken = false
    expect(await tokenOf(sim)).not.toBe(next)
  })

  it('wecom 25: an invalidated token is 40014, a missing one 41001', async () => {
    sim.control.faults.invalidateTokens(APP.agentId)
    expect((await send(text('x'))).errcode).toBe(40014)
    expect(await tokenOf(sim)).not.toBe(token)
    expect((await api(sim, 'message/send', {})).errcode).toBe(41001)
    sim.control.faults.add({ name: 'user/get', effect: 'error', errcode: 42001, times: 2 })
    token = await tokenOf(sim)
    const get = () => api(sim, `user/get?access_token=${token}&userid=zhangsan`)
    expect([(await get()).errcode, (await get()).errcode, (await get()).errcode]).toEqual([42001, 42001, 0])
  })

  it('wecom 26: bad secret, bad corpid and a foreign address name code and address', async () => {
    const get = (corp: string, secret: string) => api(sim, `gettoken?corpid=${corp}&corpsecret=${secret}`)
    expect((await get(CORP_ID, 'wrong')).errcode).toBe(40001)
    expect((await get('wwOther', APP.secret)).errcode).toBe(40013)
    const [app] = sim.control.corp.snapshot().apps
    if (!app) throw new Error('no app')
    sim.control.corp.app({ ...app, trustedIps: ['10.0.0.1'] })
    sim.control.faults.callerIp('203.0.113.7')
    const refused = await send(text('x'))
    expect(refused.errcode).toBe(60020)
    expect(refused.errmsg).toMatch(
      /^not allow to access from your ip, hint: \[\d+\], from ip: 203\.0\.113\.7, more info at https:\/\/open\.work\.weixin\.qq\.com\/devtool\/query\?e=60020$/,
    )
    sim.control.faults.callerIp('10.0.0.1')
    expect((await send(text('x'))).errcode).toBe(0)
  })

  it('bans an address for an hour after many wrong secrets', async () => {
    for (let i = 0; i < 21; i++) await api(sim, `gettoken?corpid=${CORP_ID}&corpsecret=no`)
    const get = () => api(sim, `gettoken?corpid=${CORP_ID}&corpsecret=${APP.secret}`)
    expect((await get()).errcode).toBe(45009)
    await sim.clock.advance(3_600_000)
    expect((await get()).errcode).toBe(0)
  })

  it('answers 200 with an errcode for a wrong method, an unknown route and a body that is no JSON', async () => {
    expect((await api(sim, `message/send?access_token=${token}`)).errcode).toBe(40058)
    expect((await api(sim, `nothing?access_token=${token}`)).errcode).toBe(40058)
    const response = await fetch(`${sim.url}/cgi-bin/message/send?access_token=${token}`, {
      method: 'POST',
      body: 'x',
    })
    expect([response.status, (await jsonOf(response)).errcode]).toEqual([200, 40058])
  })

  it('answers 40058 to a body that only begins like JSON', async () => {
    const response = await fetch(`${sim.url}/cgi-bin/message/send?access_token=${token}`, {
      method: 'POST',
      body: '{"touser":',
    })
    expect((await jsonOf(response)).errcode).toBe(40058)
  })

  it('wecom 34: one bad receiver is errcode 0 with invaliduser in lower case; all bad is 81013', async () => {
    const partly = await send({ ...text('通知'), touser: 'zhangsan|Nobody|WangWu' })
    expect(partly).toMatchObject({
      errcode: 0,
      invaliduser: 'nobody|wangwu',
      invalidparty: '',
      unlicenseduser: '',
    })
    expect(shown()).toEqual([{ type: 'text', text: '通知' }])
    expect((await send({ ...text('x'), touser: 'Nobody|WangWu' })).errcode).toBe(81013)
    expect((await send({ ...text('x'), touser: '' })).errcode).toBe(82001)
  })

  it('sends to departments with their descendants and to everyone in the visible range', async () => {
    sim.control.corp.member({ userid: 'qianqi', name: '钱七', departments: [4] })
    await send({ toparty: '2', msgtype: 'text', text: { content: '部门' } })
    await send({ touser: '@all', msgtype: 'text', text: { content: '全员' } })
    for (const userid of ['zhangsan', 'LiSi', 'qianqi']) {
      expect(shown(appChat(APP.agentId, userid))).toHaveLength(2)
    }
    expect(shown(appChat(APP.agentId, 'wangwu'))).toEqual([])
  })

  it('cuts text at 2048 bytes on a character, refuses long markdown, unknown types and wrong agents', async () => {
    await send(text('汉'.repeat(700)))
    expect(shown()).toEqual([{ type: 'text', text: '汉'.repeat(682) }])
    const markdown = (content: string) =>
      send({ touser: 'zhangsan', msgtype: 'markdown', markdown: { content } })
    expect((await markdown('a'.repeat(2049))).errcode).toBe(45002)
    expect((await markdown('**好**')).errcode).toBe(0)
    expect(
      (await send({ touser: 'zhangsan', msgtype: 'markdown_v2', markdown_v2: { content: 'x' } })).errcode,
    ).toBe(40008)
    expect((await send({ ...text('x'), agentid: 7 })).errcode).toBe(40056)
    sim.control.corp.app({ agentId: 1000003, name: '其他', secret: 'other', visible: { departments: [1] } })
    expect((await send({ ...text('x'), agentid: 1000003 })).errcode).toBe(301002)
  })

  it('drops a repeat under the duplicate check, and silently the 31st message of a minute to one member', async () => {
    const report = { ...text('日报'), enable_duplicate_check: 1, duplicate_check_interval: 600 }
    await send(report)
    expect((await send(report)).errcode).toBe(0)
    expect(shown()).toHaveLength(1)
    await sim.clock.advance(600_000)
    await send(report)
    expect(shown()).toHaveLength(2)
    for (let i = 0; i < 40; i++) expect((await send(text(`第 ${i}`))).errcode).toBe(0)
    expect(shown()).toHaveLength(31)
  })

  it('recalls within 24 hours', async () => {
    const { msgid } = await send(text('错了'))
    expect((await api(sim, `message/recall?access_token=${token}`, { msgid })).errcode).toBe(0)
    expect(shown()).toEqual([{ type: 'recalled' }])
    const late = await send(text('又错'))
    await sim.clock.advance(86_400_001)
    token = await tokenOf(sim)
    expect((await api(sim, `message/recall?access_token=${token}`, { msgid: late.msgid })).errcode).not.toBe(
      0,
    )
  })

  it('wecom 36: a response_code updates once, within 72 hours, by its own app', async () => {
    const card = (id: string) =>
      send({ touser: 'zhangsan|LiSi', msgtype: 'template_card', template_card: buttonCard(id) })
    expect((await card('t1')).errcode).toBe(43012)
    const [app] = sim.control.corp.snapshot().apps
    if (!app) throw new Error('no app')
    sim.control.corp.app({ ...app, callback: SILENT_CALLBACK })
    const update = (code: string, extra: object) =>
      api(sim, `message/update_template_card?access_token=${token}`, {
        agentid: APP.agentId,
        response_code: code,
        ...extra,
      })
    const { response_code: code } = await card('t1')
    expect((await card('t1')).errcode).toBe(42014)
    const grey = { userids: ['zhangsan', 'Nobody'], button: { replace_name: '已允许' } }
    expect(await update(code, grey)).toMatchObject({ errcode: 0, invaliduser: ['nobody'] })
    expect((await update(code, grey)).errcode).not.toBe(0)
    const view = (userid: string) =>
      sim.control.transcript(appChat(APP.agentId, userid), userid).at(-1)?.content
    expect(view('zhangsan')).toMatchObject({ card: { replaceText: '已允许' } })
    expect(view('LiSi')).not.toMatchObject({ card: { replaceText: '已允许' } })
    const { response_code: second } = await card('t2')
    const notice = {
      card_type: 'text_notice',
      main_title: { title: '已允许' },
      card_action: { type: 1, url: 'https://a.example' },
    }
    expect((await update(second, { atall: 1, template_card: notice })).errcode).toBe(0)
    expect(view('LiSi')).toMatchObject({ card: { cardType: 'text_notice', title: '已允许' } })
    const { response_code: old } = await card('t3')
    await sim.clock.advance(72 * 3_600_000 + 1)
    token = await tokenOf(sim)
    expect((await update(old, grey)).errcode).not.toBe(0)
  })

  it('shows contacts of the visible range only, without phone and mail', async () => {
    const get = (userid: string) => api(sim, `user/get?access_token=${token}&userid=${userid}`)
    expect(await get('lisi')).toEqual({
      errcode: 0,
      errmsg: 'ok',
      userid: 'LiSi',
      name: '李四',
      department: [2],
      order: [0],
      is_leader_in_dept: [1],
      direct_leader: [],
      main_department: 2,
      position: '研发经理',
      status: 1,
    })
    expect((await get('wangwu')).errcode).toBe(60011)
    expect((await get('woLZguest')).errcode).toBe(60111)
    const list = await api(sim, `department/list?access_token=${token}`)
    expect(list.department).toEqual([
      { id: 2, name: '研发部', parentid: 1, order: 2, department_leader: ['LiSi'] },
      { id: 4, name: '平台组', parentid: 2, order: 4, department_leader: [] },
    ])
    const simple = await api(sim, `department/simplelist?access_token=${token}&id=4`)
    expect(simple.department_id).toEqual([{ id: 4, parentid: 2, order: 4 }])
    expect((await api(sim, `department/list?access_token=${token}&id=3`)).errcode).toBe(60011)
    const ids = await api(sim, `user/list_id?access_token=${token}`, { limit: 1 })
    expect(ids).toMatchObject({ dept_user: [{ userid: 'zhangsan', department: 2 }], next_cursor: '1' })
    const rest = await api(sim, `user/list_id?access_token=${token}`, { limit: 1, cursor: '1' })
    expect(rest).toMatchObject({ dept_user: [{ userid: 'LiSi', department: 2 }], next_cursor: '' })
    const agent = await api(sim, `agent/get?access_token=${token}&agentid=${APP.agentId}`)
    expect(agent.allow_partys).toEqual({ partyid: [2] })
  })

  it('wecom 35: a group robot sends 20 a minute, then 45009 until the minute is over', async () => {
    const robot = (body: object, key = 'robot-key') => api(sim, `webhook/send?key=${key}`, body)
    const markdown = { msgtype: 'markdown', markdown: { content: '**日报**' } }
    for (let i = 0; i < 20; i++) expect((await robot(markdown)).errcode).toBe(0)
    expect((await robot(markdown)).errcode).toBe(45009)
    await sim.clock.advance(59_999)
    expect((await robot(markdown)).errcode).toBe(45009)
    await sim.clock.advance(1)
    expect((await robot(markdown)).errcode).toBe(0)
    expect(shown(GROUP)).toHaveLength(21)
    expect((await robot(markdown, 'unknown')).errcode).toBe(93000)
  })

  it('HTTP faults: a dropped answer is applied, a status is not', async () => {
    sim.control.faults.add({ name: 'message/send', effect: 'drop' })
    await expect(send(text('到了'))).rejects.toThrow()
    expect(shown()).toHaveLength(1)
    sim.control.faults.add({ name: 'message/send', effect: 'status', status: 502 })
    await expect(send(text('没到'))).rejects.toThrow()
    expect(shown()).toHaveLength(1)
    sim.control.faults.cutNetwork(120_000)
    await expect(send(text('断网'))).rejects.toThrow()
    await sim.clock.advance(120_000)
    expect((await send(text('恢复'))).errcode).toBe(0)
  })

  it('the journal names calls and hides tokens and secrets', async () => {
    await send(text('记一下'))
    const journal = sim.control.journal()
    expect(journal.map((entry) => entry.name)).toEqual(['gettoken', 'message/send'])
    expect(JSON.stringify(journal)).not.toContain(token)
    expect(JSON.stringify(journal)).not.toContain(APP.secret)
  })
})
