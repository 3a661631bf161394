/** Two whole houses on one SQLite file: neither repeats nor gives up what the other one has in its hands. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PRESENCE_MS } from '../../../src/store/presence.ts'
import {
  beginRemoteCall,
  findRemoteCall,
  insertRemoteCall,
} from '../../../src/store/repositories/remote-calls.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import { insertTerminal } from '../../../src/store/repositories/workbench-terminals.ts'
import { group, messageEvent } from '../gateway/stage.ts'
import { type Lodger, moveIn } from './lodger.ts'

let first: Lodger
let second: Lodger
beforeEach(async () => {
  first = await moveIn('first')
  second = await moveIn('second', first.store.dataDir)
  first.consumer = await first.house.start(4)
})
afterEach(async () => {
  await second.close()
  await first.close()
})

const outbox = () => second.store.db.selectFrom('outbox').select(['ref', 'state', 'owner']).execute()

describe('a second house that starts while the first is at work', () => {
  it('leaves alone the message that the first is sending', async () => {
    const go = first.adapter.pause()
    await first.adapter.received?.(messageEvent({ text: '/whoami', mentionsBot: true }))
    await first.clock.advance(0)
    expect(await outbox()).toEqual([{ ref: 'notice', state: 'sending', owner: 'first' }])
    second.consumer = await second.house.start(4)
    await second.clock.advance(10_000)
    expect(second.adapter.calls).toEqual([])
    expect(await outbox()).toEqual([{ ref: 'notice', state: 'sending', owner: 'first' }])
    go()
    await first.clock.advance(0)
    expect(await outbox()).toMatchObject([{ state: 'sent' }])
    expect(first.adapter.calls).toHaveLength(1)
  })

  it('does not call the terminals and remote calls of the first lost; it does when the first is gone', async () => {
    const { db } = first.store
    const session = await ensureSession(db, group, first.clock.now())
    await insertTerminal(db, {
      ...{ id: 'term_1', session_id: session.id, name: 'x', folder: '.', command: null, state: 'live' },
      ...{ reason: null, owner: 'first', revision: 1, tail: '', sequence: 0, created_by: 'feishu:ou_1' },
      ...{ created_at: 0, ended_at: null },
    })
    const call = { id: 'call1', caller: 'laptop', session_id: 'remote:laptop', tool: 'run_command' }
    await insertRemoteCall(db, { ...call, arguments: '{}', state: 'waiting' }, first.clock.now())
    await beginRemoteCall(db, 'call1', 'first', first.clock.now())
    const states = async () => ({
      terminal: await db.selectFrom('workbench_terminals').select('state').executeTakeFirst(),
      call: (await findRemoteCall(db, 'laptop', 'call1'))?.state,
    })

    second.consumer = await second.house.start(4)
    await second.clock.advance(0)
    expect(await states()).toEqual({ terminal: { state: 'live' }, call: 'begun' })

    await second.clock.advance(PRESENCE_MS + 10_000)
    expect(await states()).toEqual({ terminal: { state: 'lost' }, call: 'ended' })
  })
})
