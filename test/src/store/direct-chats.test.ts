import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/protocol/address.ts'
import { insertRun, newestDirectChats } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import { openTestStore } from '../../support/store.ts'

describe('where an administrator can be told something', () => {
  it('is the newest direct chat of each; groups, other people and closed chats are none', async () => {
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
    await had('feishu:admin', { botId: 'ops', chatId: 'group', chatType: 'group' }, 3)
    await had('feishu:other', direct('others'), 4)
    const closed = await had('wecom:boss', direct('closed'), 5)
    await db.updateTable('sessions').set({ closed_reason: 'removed' }).where('id', '=', closed).execute()
    expect(await newestDirectChats(db, ['feishu:admin', 'wecom:boss'])).toEqual([direct('new')])
    expect(await newestDirectChats(db, [])).toEqual([])
  })
})
