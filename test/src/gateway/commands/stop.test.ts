import { afterEach, expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/gateway/commands/command.ts'
import { stop } from '../../../../src/gateway/commands/stop.ts'
import { endRun, insertRun } from '../../../../src/store/repositories/runs.ts'
import { ensureSession, findSession } from '../../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openTestStore } from '../../../support/store.ts'
import { group, messageEvent } from '../stage.ts'

let store: Store
afterEach(() => store.close())

it.each([
  ['that goes on is asked to stop', false, 1],
  ['that ended while the command was answered leaves no stop to the next one', true, 0],
])('a run %s', async (_name, ended, flag) => {
  store = await openTestStore()
  const session = await ensureSession(store.db, group, 1)
  const run = { id: 'r1', sessionId: session.id, requester: 'feishu:ou_1', replyTo: undefined, model: 'main' }
  await insertRun(store.db, run, 1)
  const ctx = { deps: { store }, event: messageEvent(), session, args: [], text: (key: string) => key }
  const answer = await stop(ctx as unknown as CommandContext)
  if (ended) await endRun(store.db, 'r1', 'done', undefined, 2)
  await store.transaction(async (trx) => answer.commit?.(trx))
  expect(await findSession(store.db, session.id)).toMatchObject({ stop_requested: flag })
})
