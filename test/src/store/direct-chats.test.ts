import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/protocol/address.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { directChatOf, ensureSession } from '../../../src/store/repositories/sessions.ts'
import { openTestStore } from '../../support/store.ts'

describe('where a person can be told something', () => {
  it('is the newest direct chat with a bot that is there; groups, others’ and closed chats are none', async () => {
    const { db } = await openTestStore()
    const had = async (requester: string, address: Address, at: number): Promise<string> => {
      const session = await ensureSession(db, address, at)
      await insertRun(
        db,
        { id: `run-${at}`, sessionId: session.id, requester, replyTo: undefined, model: 'demo' },
        at,
      )
      return session.id
    }
    const direct = (chatId: string): Address => ({ botId: 'ops', chatId, chatType: 'direct' })
    await had('feishu:admin', direct('old'), 1)
    await had('feishu:admin', direct('new'), 2)
    await had('feishu:admin', { ...direct('gone'), botId: 'former' }, 3)
    await had('feishu:admin', { botId: 'ops', chatId: 'group', chatType: 'group' }, 4)
    await had('feishu:other', direct('others'), 5)
    const closed = await had('wecom:boss', direct('closed'), 6)
    await db.updateTable('sessions').set({ closed_reason: 'removed' }).where('id', '=', closed).execute()
    await had('wecom:topic', { ...direct('topics'), threadId: 't1' }, 7)

    expect(await directChatOf(db, 'feishu:admin', ['ops'])).toEqual(direct('new'))
    expect(await directChatOf(db, 'wecom:boss', ['ops'])).toBeUndefined()
    expect(await directChatOf(db, 'wecom:topic', ['ops'])).toEqual(direct('topics'))
    expect(await directChatOf(db, 'feishu:admin', [])).toBeUndefined()
  })
})
