import { describe, expect, it } from 'vitest'
import { appInboundOf, appSchema } from '../../../adapters/wecom/app-inbound.ts'
import { parseXml } from '../../../adapters/wecom/xml.ts'
import type { InboundEvent } from '../../../src/protocol/inbound.ts'

function read(inner: string, from = 'ZhangSan'): InboundEvent | undefined {
  const xml = `<xml><ToUserName><![CDATA[ww0123456789abcdef]]></ToUserName><FromUserName><![CDATA[${from}]]></FromUserName><CreateTime>1767225660</CreateTime>${inner}</xml>`
  return appInboundOf(appSchema.parse(parseXml(xml)).xml, 'oa')
}

describe('appInboundOf', () => {
  it('a text becomes a message in the chat with the app, its id kept exactly', () => {
    const event = read(
      '<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[你好]]></Content><MsgId>7450000000000000001</MsgId><AgentID>1000002</AgentID>',
    )

    expect(event).toEqual({
      type: 'message',
      address: { botId: 'oa', chatId: 'app:ZhangSan', chatType: 'direct' },
      messageId: '7450000000000000001',
      sender: { user: 'wecom:zhangsan', isBot: false, isExternal: false },
      text: '你好',
      mentions: [],
      mentionsBot: false,
      mentionsAll: false,
      attachments: [],
      sentAt: 1_767_225_660_000,
      replyTo: '',
    })
  })

  it('images, voices and videos are attachments by media id', () => {
    expect(read('<MsgType>voice</MsgType><MediaId>MID</MediaId><MsgId>1</MsgId>')).toMatchObject({
      attachments: [{ kind: 'audio', handle: { mediaId: 'MID' } }],
    })
  })

  it('wecom 14: a click carries its button, choices, task and one-time code', () => {
    const event = read(
      '<MsgType>event</MsgType><Event>template_card_event</Event><EventKey><![CDATA[approval=a1&decision=allow]]></EventKey><TaskId>a1</TaskId><CardType>button_interaction</CardType><ResponseCode>rc-9</ResponseCode><SelectedItems><SelectedItem><QuestionKey>scope</QuestionKey><OptionIds><OptionId>once</OptionId></OptionIds></SelectedItem></SelectedItems>',
      'lisi',
    )

    expect(event).toEqual({
      type: 'action',
      address: { botId: 'oa', chatId: 'app:lisi', chatType: 'direct' },
      eventId: 'click:lisi:1767225660:a1:rc-9',
      operator: { user: 'wecom:lisi', isBot: false, isExternal: false },
      value: { approval: 'a1', decision: 'allow' },
      form: { scope: 'once' },
      sentAt: 1_767_225_660_000,
      handle: { taskId: 'a1', responseCode: 'rc-9' },
    })
  })

  it('sys_approval_change becomes an oa_approval event with the number as text', () => {
    const event = read(
      '<MsgType>event</MsgType><Event>sys_approval_change</Event><AgentID>3010040</AgentID><ApprovalInfo><SpNo>202512010001</SpNo><SpNoStr>2025120100019007199254740993</SpNoStr><SpName>采购报销</SpName><SpStatus>1</SpStatus><Applyer><UserId>ZhangSan</UserId></Applyer><Notifyer><UserId>sunqi</UserId></Notifyer><StatuChangeEvent>2</StatuChangeEvent></ApprovalInfo>',
      'sys',
    )

    expect(event).toEqual({
      type: 'oa_approval',
      botId: 'oa',
      eventId: 'oa:2025120100019007199254740993:2:1767225660',
      number: '2025120100019007199254740993',
      name: '采购报销',
      change: 'agreed',
      applicant: 'wecom:zhangsan',
      sentAt: 1_767_225_660_000,
    })
  })

  it('tolerates unknown events', () => {
    expect(read('<MsgType>event</MsgType><Event>LOCATION</Event>')).toBeUndefined()
  })
})
