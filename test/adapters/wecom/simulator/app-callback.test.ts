import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appChat } from '../../../../adapters/wecom/simulator/control.ts'
import { type CallbackServer, startCallbackServer } from './callback-server.ts'
import {
  AES_KEY,
  APP,
  api,
  buttonCard,
  CORP_ID,
  type Fixture,
  PNG,
  startCorp,
  TOKEN,
  tokenOf,
} from './fixture.ts'

describe('callbacks of a self-built app', () => {
  let sim: Fixture
  let server: CallbackServer
  const chat = appChat(APP.agentId, 'zhangsan')
  const shown = () =>
    sim.control
      .transcript(chat, 'zhangsan')
      .filter((one) => one.sender.type === 'app')
      .map((one) => one.content)
  const say = (text: string) => sim.control.people.send({ chat, from: 'zhangsan', type: 'text', text })
  const sendCard = async (taskId: string): Promise<string> => {
    await api(sim, `message/send?access_token=${await tokenOf(sim)}`, {
      touser: 'zhangsan',
      agentid: APP.agentId,
      msgtype: 'template_card',
      template_card: buttonCard(taskId),
    })
    return sim.control.transcript(chat).at(-1)?.id ?? ''
  }

  beforeEach(async () => {
    sim = await startCorp()
    server = await startCallbackServer()
    sim.control.corp.app({
      ...APP,
      name: '审批助手',
      visible: { departments: [2] },
      approvalAccess: true,
      approvalEvents: true,
      callback: { url: server.url, token: TOKEN, aesKey: AES_KEY },
    })
  })
  afterEach(async () => {
    await sim.stop()
    await server.stop()
  })

  it('posts encrypted XML with the corp id as receiveid', async () => {
    await say('你好 <b> & ]]>')
    await server.count(1)
    expect(server.received[0]).toMatchObject({
      contentType: 'text/xml',
      receiveId: CORP_ID,
      signatureFits: true,
    })
    expect(server.received[0]?.body).toMatch(
      /^<xml><ToUserName><!\[CDATA\[ww0123456789abcdef\]\]><\/ToUserName><AgentID>/,
    )
    const { plain = '' } = server.received[0] ?? {}
    expect(plain).toMatch(
      /^<xml><ToUserName><!\[CDATA\[ww0123456789abcdef\]\]><\/ToUserName><FromUserName><!\[CDATA\[zhangsan\]\]><\/FromUserName><CreateTime>1767574800<\/CreateTime>/,
    )
    expect(plain).toMatch(/<MsgId>745\d{16}<\/MsgId>/)
    expect(plain).toContain('<Content><![CDATA[你好 <b> & ]]]]><![CDATA[>]]></Content>')
  })

  it('answers the GET check with the corp id', async () => {
    server.answer((request) => ({ type: 'bare', text: request.plain }))
    expect(await sim.control.corp.verifyCallback({ agentId: APP.agentId })).toBe(true)
    expect(server.received[0]?.receiveId).toBe(CORP_ID)
  })

  it('wecom 32: repeats a message three times with one MsgId when nobody answers', async () => {
    server.answer(() => ({ type: 'silence' }))
    await say('慢')
    for (let attempt = 1; attempt <= 3; attempt++) {
      await server.count(attempt)
      await sim.clock.advance(5000)
    }
    const ids = server.received.map((one) => /<MsgId>(\d+)/.exec(one.plain)?.[1])
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(1)
  })

  it('sends images, voice and video, but no file, and nothing from outside the visible range', async () => {
    const base = { chat, from: 'zhangsan', name: 'a', bytes: PNG }
    await sim.control.people.send({ ...base, type: 'file' })
    await sim.control.people.send({ ...base, type: 'voice', transcript: '喂' })
    await sim.control.people.send({ ...base, type: 'image' })
    const outside = appChat(APP.agentId, 'wangwu')
    await sim.control.people.send({ chat: outside, from: 'wangwu', type: 'text', text: '看不见' })
    await server.count(2)
    const plains = server.received.map((one) => one.plain).sort()
    expect(plains.map((one) => /<MsgType><!\[CDATA\[(\w+)/.exec(one)?.[1]).sort()).toEqual(['image', 'voice'])
    const image = plains.find((one) => one.includes('[image]')) ?? ''
    const picUrl = /<PicUrl><!\[CDATA\[([^\]]+)/.exec(image)?.[1] ?? ''
    expect(Buffer.from(await (await fetch(picUrl)).arrayBuffer()).equals(PNG)).toBe(true)
    const mediaId = /<MediaId><!\[CDATA\[(\w+)/.exec(image)?.[1]
    const got = await fetch(
      `${sim.url}/cgi-bin/media/get?access_token=${await tokenOf(sim)}&media_id=${mediaId}`,
    )
    expect(Buffer.from(await got.arrayBuffer()).equals(PNG)).toBe(true)
  })

  it('places passive text and news', async () => {
    const xml = (inner: string) =>
      `<xml><ToUserName>zhangsan</ToUserName><FromUserName>${CORP_ID}</FromUserName><CreateTime>1</CreateTime>${inner}</xml>`
    server.answer(() => ({
      type: 'xml',
      value: xml('<MsgType>text</MsgType><Content><![CDATA[收到]]></Content>'),
    }))
    await say('一')
    await sim.control.until(() => shown().length === 1)
    const item = '<item><Title>标题</Title><Url>https://a.example</Url></item>'
    server.answer(() => ({ type: 'xml', value: xml(`<MsgType>news</MsgType><Articles>${item}</Articles>`) }))
    await say('二')
    await sim.control.until(() => shown().length === 2)
    expect(shown()).toEqual([
      { type: 'text', text: '收到' },
      { type: 'news', articles: [{ title: '标题', url: 'https://a.example' }] },
    ])
  })

  it('wecom 14: a click carries a fresh ResponseCode; a passive update_button greys the clicked copy', async () => {
    const id = await sendCard('t1')
    server.answer(() => ({
      type: 'xml',
      value: '<xml><MsgType>update_button</MsgType><Button><ReplaceName>已允许</ReplaceName></Button></xml>',
    }))
    const view = await sim.control.people.click({ messageId: id, from: 'zhangsan', key: 'approve' })
    expect(view).toMatchObject({ outcome: 'updated', card: { replaceText: '已允许' } })
    const { plain = '' } = server.received[0] ?? {}
    expect(plain).toContain(
      '<Event><![CDATA[template_card_event]]></Event><EventKey><![CDATA[approve]]></EventKey>',
    )
    expect(plain).toContain(
      '<TaskId><![CDATA[t1]]></TaskId><CardType><![CDATA[button_interaction]]></CardType>',
    )
    const code = /<ResponseCode><!\[CDATA\[(\w+)/.exec(plain)?.[1]
    const update = {
      userids: ['zhangsan'],
      agentid: APP.agentId,
      response_code: code,
      button: { replace_name: '终' },
    }
    const path = `message/update_template_card?access_token=${await tokenOf(sim)}`
    expect((await api(sim, path, update)).errcode).toBe(0)
    expect((await api(sim, path, update)).errcode).not.toBe(0)
    expect(shown()).toMatchObject([{ card: { replaceText: '终' } }])
    await expect(
      sim.control.people.click({ messageId: id, from: 'zhangsan', key: 'approve' }),
    ).rejects.toMatchObject({ code: 'simulator.refused' })
  })

  it('a passive update_template_card replaces the clicked copy', async () => {
    const id = await sendCard('t1')
    const card =
      '<TemplateCard><CardType>text_notice</CardType><MainTitle><Title>已拒绝</Title></MainTitle><CardAction><Type>1</Type><Url>https://a.example</Url></CardAction></TemplateCard>'
    server.answer(() => ({ type: 'xml', value: `<xml><MsgType>update_template_card</MsgType>${card}</xml>` }))
    const view = await sim.control.people.click({ messageId: id, from: 'zhangsan', key: 'deny' })
    expect(view).toMatchObject({ outcome: 'updated', card: { cardType: 'text_notice', title: '已拒绝' } })
  })

  it('tells the app of every change of an approval form, with the number as a string', async () => {
    const { approvals } = sim.control
    approvals.template({ templateId: 'T1', name: '采购报销', controls: [] })
    const steps = [{ rule: 'any' as const, approvers: ['LiSi'] }]
    const spNo = approvals.file({
      templateId: 'T1',
      applicant: 'zhangsan',
      steps,
      notify: ['wangwu'],
      contents: [],
    })
    approvals.act(spNo, { type: 'comment', by: 'LiSi', text: '请补发票' })
    approvals.act(spNo, { type: 'approve', by: 'LiSi', speech: '同意' })
    await server.count(3)
    const byEvent = new Map(
      server.received.map((one) => [/<StatuChangeEvent>(\d+)/.exec(one.plain)?.[1], one.plain]),
    )
    expect([...byEvent.keys()].sort()).toEqual(['1', '10', '2'])
    const agreed = byEvent.get('2') ?? ''
    expect(agreed).toContain('<FromUserName><![CDATA[sys]]></FromUserName>')
    expect(agreed).toContain(
      '<AgentID>3010040</AgentID><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[sys_approval_change]]></Event>',
    )
    expect(agreed).toContain(`<SpNo>${spNo}</SpNo><SpNoStr><![CDATA[${spNo}]]></SpNoStr>`)
    expect(agreed).toContain('<SpStatus>2</SpStatus>')
    expect(agreed).toContain(
      '<Speech><![CDATA[同意]]></Speech><SpStatus>2</SpStatus><SpTime>1767574800</SpTime>',
    )
  })
})
