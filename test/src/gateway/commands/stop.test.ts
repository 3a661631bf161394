import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionKey } from '../../../../src/protocol/address.ts'
import { findInbox, waitingMessages } from '../../../../src/store/repositories/inbox.ts'
import { insertRun } from '../../../../src/store/repositories/runs.ts'
import { findSession } from '../../../../src/store/repositories/sessions.ts'
import { type GatewayStage, group, messageEvent, openGateway } from '../stage.ts'

const session = sessionKey(group)
const elsewhere = { ...group, chatId: 'oc_2' }
let stage: GatewayStage

beforeEach(async () => {
  stage = await openGateway()
})
afterEach(() => stage.close())

async function say(text: string, address = group): Promise<void> {
  await stage.gateway.receive(messageEvent({ text, address, mentionsBot: true }))
  await stage.gateway.drain()
  await stage.clock.advance(0)
}

async function run(): Promise<void> {
  await insertRun(
    stage.store.db,
    { id: 'r1', sessionId: session, requester: 'feishu:ou_1', replyTo: undefined, model: 'main' },
    stage.clock.now(),
  )
}

describe('/stop', () => {
  it('says so when there is nothing to stop', async () => {
    await say('/stop')
    expect(stage.adapter.said()).toEqual(['command.stop_idle'])
    expect(stage.interrupted).toEqual([])
  })

  it('stops the run, its approvals and what waits behind it', async () => {
    await say('一')
    await say('二')
    await run()
    await say('停止')
    expect(stage.adapter.said()).toEqual(['command.stop_waiting count=2'])
    expect(await waitingMessages(stage.store.db, session)).toEqual([])
    expect(await findSession(stage.store.db, session)).toMatchObject({ stop_requested: 1 })
    expect([stage.interrupted, stage.cancelled]).toEqual([[session], [session]])
  })

  it('leaves alone what was said after it, also when it is carried out late', async () => {
    await say('一')
    const event = messageEvent({ text: '/stop', mentionsBot: true })
    await stage.gateway.receive(event)
    await say('二')
    const row = await findInbox(stage.store.db, `ops:m:${event.messageId}`)
    await stage.store.db.updateTable('inbox').set({ state: 'waiting' }).execute()
    await stage.gateway.recover()
    await stage.clock.advance(0)
    const left = await waitingMessages(stage.store.db, session)
    expect(left.map(({ id }) => id > (row?.id ?? 0))).toEqual([true])
  })

  it('T1: reaches no other chat', async () => {
    await say('一')
    await run()
    await say('/stop', elsewhere)
    expect(stage.adapter.said()).toEqual(['command.stop_idle'])
    expect(await waitingMessages(stage.store.db, session)).toHaveLength(1)
    expect(await findSession(stage.store.db, session)).toMatchObject({ stop_requested: 0 })
  })
})

describe('/new', () => {
  it('begins a conversation without the grants of the last one', async () => {
    await say('一')
    await stage.store.db.updateTable('sessions').set({ grants: '["g"]' }).execute()
    await say('/new')
    expect(stage.adapter.said()).toEqual(['command.new\ncommand.new_waiting count=1'])
    expect(await findSession(stage.store.db, session)).toMatchObject({ epoch: 1, grants: '[]' })
    expect(stage.interrupted).toEqual([])
  })

  it('stops a run first', async () => {
    await say('一')
    await run()
    await say('新会话')
    expect(stage.adapter.said()).toEqual(['command.new_stopped\ncommand.new_waiting count=1'])
    expect(stage.interrupted).toEqual([session])
  })
})

describe('other words', () => {
  it('an unknown command names itself', async () => {
    await say('/stopp')
    expect(stage.adapter.said()).toEqual(['command.unknown word=stopp'])
  })

  it('/whoami tells the ids that the configuration needs', async () => {
    await say('/whoami')
    expect(stage.adapter.said()).toEqual([
      'command.whoami user=feishu:ou_1 chat=chat:ops:oc_1 admin=command.no operate=command.yes',
    ])
  })

  it('/tools says what is missing', async () => {
    await say('/tools')
    expect(stage.adapter.said()).toEqual(['command.tools count=1\n- `shell` 执行命令\n  ⚠ no sandbox'])
  })

  it('/status of an idle chat names its model', async () => {
    await say('/status')
    expect(stage.adapter.said()).toEqual(['- command.status_idle\n- command.status_model model=main'])
  })
})
