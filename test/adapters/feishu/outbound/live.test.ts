import { describe, expect, it } from 'vitest'
import type { Card } from '../../../../src/protocol/card.ts'
import type { LiveState, SentMessage } from '../../../../src/protocol/outbound.ts'
import { connectedStage, groupAddress, type Stage, sendOptions } from '../stage.ts'

const CONTENT = 'PUT /open-apis/cardkit/v1/cards/:card_id/elements/:element_id/content'
const REPLACE = 'PUT /open-apis/cardkit/v1/cards/:card_id'
const SETTINGS = 'PATCH /open-apis/cardkit/v1/cards/:card_id/settings'

const state = (text: string, more: Partial<LiveState> = {}): LiveState => ({
  phase: 'working',
  label: '正在执行…',
  text,
  steps: [],
  todos: [],
  ...more,
})

const done = (text: string): LiveState => state(text, { phase: 'done', label: '' })

const begin = (stage: Stage, more = {}): Promise<SentMessage> =>
  stage.adapter.send(groupAddress(stage), { type: 'live', live: state('一') }, sendOptions(more))

const go = (stage: Stage, sent: SentMessage, live: LiveState): Promise<SentMessage> =>
  stage.adapter.update(sent, groupAddress(stage), { type: 'live', live }, sendOptions())

function sequences(stage: Stage): unknown[] {
  return stage.control
    .requests()
    .filter((request) => request.route.includes('/cardkit/v1/cards/:card_id'))
    .map((request) =>
      typeof request.body === 'object' && request.body ? Reflect.get(request.body, 'sequence') : 0,
    )
}

describe('a streaming answer', () => {
  it('feishu 25: types on with full texts and rising sequences, and ends with the typewriter off', async () => {
    await using stage = await connectedStage()
    let sent = await begin(stage)
    sent = await go(stage, sent, state('一二'))
    sent = await go(stage, sent, state('一二三'))
    sent = await go(
      stage,
      sent,
      state('一二三', { steps: [{ callId: 'c', tool: 'bash', title: 'ls', status: 'running' }] }),
    )
    sent = await go(stage, sent, done('一二三四'))
    expect(sequences(stage)).toEqual([1, 2, 3, 4, 5])
    expect(stage.control.requests(CONTENT).map((request) => request.body)).toMatchObject([
      { content: '一二' },
      { content: '一二三' },
    ])
    expect(sent.handle).toMatchObject({ mode: 'cardkit', sequence: 5 })
    const shown = stage.control.message(sent.messageId)
    expect(shown?.card).toMatchObject({ streaming: false, version: 2 })
    expect(shown?.text).toContain('一二三四')
    expect(stage.control.requests(SETTINGS).at(-1)?.body).toMatchObject({
      settings: '{"config":{"streaming_mode":false}}',
    })
  })

  it('a state that looks the same costs no call', async () => {
    await using stage = await connectedStage()
    const sent = await begin(stage)
    await go(stage, sent, state('一'))
    expect(sequences(stage)).toEqual([])
  })

  it('R22: the entity is reported before it is sent, and used again after an interrupted try', async () => {
    await using stage = await connectedStage()
    const prepared: SentMessage['handle'][] = []
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', break: 'drop_before' })
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared.push(handle)
    }
    await expect(begin(stage, { key: 'live-1', onPrepared })).rejects.toMatchObject({ retryable: true })
    expect(prepared).toMatchObject([{ mode: 'cardkit', cardId: expect.any(String) }])
    const sent = await begin(stage, { key: 'live-1', prepared: prepared[0], onPrepared })
    expect(sent.handle.cardId).toBe(prepared[0]?.cardId)
    expect(stage.control.requests('POST /open-apis/cardkit/v1/cards')).toHaveLength(1)
  })

  it('R22: a final that takes over an interrupted first frame shows the answer, not that frame', async () => {
    await using stage = await connectedStage()
    const prepared: SentMessage['handle'][] = []
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', break: 'drop_after' })
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared.push(handle)
    }
    await expect(begin(stage, { key: 'live-1', onPrepared })).rejects.toMatchObject({ retryable: true })
    const sent = await stage.adapter.send(
      groupAddress(stage),
      { type: 'live', live: done('一二三') },
      sendOptions({ key: 'live-1', prepared: prepared[0] ?? {} }),
    )
    const shown = stage.control.message(sent.messageId)
    expect(shown?.text).toContain('一二三')
    expect(shown?.card).toMatchObject({ streaming: false })
    expect(stage.control.requests('POST /open-apis/cardkit/v1/cards')).toHaveLength(1)
  })

  it('feishu 25: goes on in another process that knows only the handle', async () => {
    await using stage = await connectedStage()
    const sent = await begin(stage)
    await go(stage, sent, state('一二'))
    await go(stage, sent, state('一二三'))
    const live = done('一二三四')
    await stage.sibling().update(sent, groupAddress(stage), { type: 'live', live }, sendOptions())
    expect(sequences(stage)).toEqual([1, 2, 1, 52, 53])
    expect(stage.control.message(sent.messageId)?.text).toContain('一二三四')
  })

  it('R22: a final that died again and again before its end was written still goes into its card', async () => {
    await using stage = await connectedStage()
    const sent = await begin(stage)
    const message = { type: 'live' as const, live: done('好了') }
    for (let process = 0; process < 8; process++) {
      await stage.clock.advance(2_000)
      const again = await stage.sibling().update(sent, groupAddress(stage), message, sendOptions())
      expect(again.messageId).toBe(sent.messageId)
    }
    expect(stage.control.transcript(stage.group).filter(({ text }) => text.includes('好了'))).toHaveLength(1)
  })

  it('feishu 25: a used sequence is jumped over, not repeated', async () => {
    await using stage = await connectedStage()
    const sent = await begin(stage)
    stage.control.faults.onRequest({ route: CONTENT, status: 400, code: 300317, times: 2 })
    const next = await go(stage, sent, state('一二'))
    expect(sequences(stage)).toEqual([1, 52, 10053])
    expect(next.handle.sequence).toBe(10053)
    expect(stage.control.message(sent.messageId)?.text).toContain('一二')
  })

  it('feishu 25: after ten minutes the closed stream is opened again and the text is complete', async () => {
    await using stage = await connectedStage()
    let sent = await begin(stage)
    await stage.clock.advance(601_000)
    sent = await go(stage, sent, state('一二'))
    expect(stage.control.requests(CONTENT).map((request) => request.code)).toEqual([expect.any(Number), 0])
    expect([300309, 200850]).toContain(stage.control.requests(CONTENT)[0]?.code)
    await go(stage, sent, done('一二三'))
    expect(stage.control.message(sent.messageId)?.text).toContain('一二三')
  })

  it('a lost card becomes a patched one, and then a plain message with the whole answer', async () => {
    await using stage = await connectedStage()
    const sent = await begin(stage)
    stage.control.faults.onRequest({ route: CONTENT, status: 400, code: 200740 })
    stage.control.faults.onRequest({
      route: 'PATCH /open-apis/im/v1/messages/:message_id',
      status: 400,
      code: 230031,
    })
    const plain = await go(stage, sent, state('一二'))
    expect(plain.handle).toEqual({ mode: 'plain' })
    const last = await go(stage, plain, done('一二三'))
    expect(last.messageId).not.toBe(sent.messageId)
    expect(stage.control.message(last.messageId)?.text).toContain('一二三')
  })

  it('without the CardKit scope the card is patched as a message', async () => {
    await using stage = await connectedStage({
      app: { scopes: ['im:message', 'im:message.group_at_msg:readonly', 'im:chat:readonly'] },
    })
    const sent = await begin(stage)
    expect(sent.handle).toEqual({ mode: 'patch' })
    const next = await go(stage, sent, done('一二'))
    expect(next).toEqual(sent)
    expect(stage.control.message(sent.messageId)?.text).toContain('一二')
    expect(stage.control.requests('PATCH /open-apis/im/v1/messages/:message_id')).toHaveLength(1)
  })

  it('trouble with the chat is not answered with another form of the card', async () => {
    await using stage = await connectedStage()
    stage.control.removeBot(stage.group, stage.app.appId)
    await expect(begin(stage)).rejects.toMatchObject({ code: 'feishu.bot_not_in_chat' })
    expect(stage.control.requests('POST /open-apis/im/v1/messages')).toHaveLength(1)
  })

  it('a run goes on inside its decided approval card', async () => {
    await using stage = await connectedStage()
    const head: Card = {
      title: '命令审批',
      tone: 'success',
      tag: '已允许',
      summary: '已允许',
      cardId: 'a1',
      blocks: [{ type: 'code', text: 'make build' }],
      buttons: [],
    }
    const approval = await stage.adapter.send(
      groupAddress(stage),
      { type: 'card', card: { ...head, buttons: [{ text: '允许', style: 'primary', value: { id: 'a1' } }] } },
      sendOptions(),
    )
    expect(approval.handle).toEqual({ mode: 'patch' })
    await go(stage, approval, state('构建中', { head }))
    const shown = stage.control.message(approval.messageId)
    expect(shown?.text).toContain('make build')
    expect(shown?.text).toContain('构建中')
    expect(stage.control.requests(REPLACE)).toHaveLength(0)
  })
})
