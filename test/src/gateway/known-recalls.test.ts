import { expect, it } from 'vitest'
import { createKnownRecalls } from '../../../src/gateway/known-recalls.ts'
import { insertInbox } from '../../../src/store/repositories/inbox.ts'
import { openTestStore } from '../../support/store.ts'

const recall = (dedupe: string) =>
  ({
    dedupe,
    sessionId: 's',
    botId: 'ops',
    kind: 'event',
    state: 'dropped',
    payload: '{}',
    receivedAt: 1,
  }) as const

it('R24: what was read in a group that was lost is forgotten, since its row ids come again', async () => {
  const store = await openTestStore()
  const recalls = createKnownRecalls()
  const lost = store.transaction(async (trx) => {
    await insertInbox(trx, [recall('a'), recall('b')])
    expect([...(await recalls.read(trx))]).toEqual(['a', 'b'])
    throw new Error('the disk is full')
  })
  await expect(lost).rejects.toThrow('full')
  recalls.forget()
  await store.transaction((trx) => insertInbox(trx, [recall('c')]))
  expect([...(await store.transaction(recalls.read))]).toEqual(['c'])
  await store.close()
})
