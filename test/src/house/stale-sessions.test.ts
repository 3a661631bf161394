import { expect, it } from 'vitest'
import { closeStaleSessions } from '../../../src/house/stale-sessions.ts'
import { ensureNamedSession, ensureSession, findSession } from '../../../src/store/repositories/sessions.ts'
import { openTestStore } from '../../support/store.ts'

const group = { botId: 'wecom', chatId: 'wr1', chatType: 'group' as const }

it('ends what waits in chats, and leaves schedules, tasks and remote callers, which no message would open', async () => {
  const store = await openTestStore()
  const chats = [group, { ...group, threadId: 'omt_1' }, { ...group, chatId: 'zhangsan' }]
  const ended = await Promise.all(chats.map(async (chat) => (await ensureSession(store.db, chat, 1)).id))
  const kept = ['schedule:daily', 'task:t1:wecom%2Fwr1%2F', 'remote:laptop', 'remote-x']
  for (const id of kept) await ensureNamedSession(store.db, id, group, 1)
  const cancelled: string[] = []

  await closeStaleSessions({
    store,
    approvals: {
      cancelSession: async (id) => {
        cancelled.push(id)
        return []
      },
    },
  })

  expect(cancelled.toSorted()).toEqual(ended.toSorted())
  for (const id of ended)
    expect(await findSession(store.db, id)).toMatchObject({
      closed_reason: 'chat_disbanded',
      stop_requested: 1,
    })
  for (const id of kept)
    expect(await findSession(store.db, id)).toMatchObject({ closed_reason: null, stop_requested: 0 })
  await store.close()
})
