import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { tellAdmins } from '../../../src/house/admin-notice.ts'
import type { Address, UserKey } from '../../../src/protocol/address.ts'
import { createApprovalRows } from '../../../src/store/repositories/approvals.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { approvalRow } from '../../support/rows.ts'
import { openTestStore } from '../../support/store.ts'

const ADMIN = 'feishu:ou_admin'
const MEMBER = 'feishu:ou_member'

let store: Store
let told: string[]
beforeEach(async () => {
  store = await openTestStore()
  told = []
})
afterEach(() => store.close())

let runs = 0
async function run(
  chatId: string,
  requester: UserKey,
  chatType: Address['chatType'] = 'group',
): Promise<string> {
  const session = await ensureSession(store.db, { botId: 'ops', chatId, chatType }, 1)
  const id = `r${++runs}`
  const model = 'demo'
  await insertRun(store.db, { id, sessionId: session.id, requester, replyTo: undefined, model }, runs)
  return session.id
}

async function tell(): Promise<string[]> {
  const outbox = {
    put: async (_db: unknown, row: { address: Address }) => void told.push(row.address.chatId),
    flush: () => {},
  }
  const ops = { id: 'ops', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 's' }
  const config = configSchema.parse({ access: { admins: [ADMIN] }, bots: [ops] })
  const bots = { text: () => (key: string) => key }
  await tellAdmins({ store, config, bots, outbox }, { key: 'k', markdown: () => 'news', group: true })
  return told
}

describe('where administrators are told', () => {
  it('in their direct chat, and in no group beside it', async () => {
    await run('oc_work', ADMIN)
    await run('oc_direct', ADMIN, 'direct')
    expect(await tell()).toEqual(['oc_direct'])
  })

  it('in the group where they last asked for something', async () => {
    await run('oc_old', ADMIN)
    await run('oc_work', ADMIN)
    await run('oc_others', MEMBER)
    expect(await tell()).toEqual(['oc_work'])
  })

  it('in the group where they last decided something', async () => {
    const sessionId = await run('oc_work', MEMBER)
    await run('oc_others', MEMBER)
    await createApprovalRows(store.db).insert(
      approvalRow({
        ...{ session_id: sessionId, chat_id: 'oc_work', requester: MEMBER },
        ...{ status: 'approved', scope: 'once', decided_by: ADMIN, decided_at: 5 },
      }),
    )
    expect(await tell()).toEqual(['oc_work'])
  })

  it('never in a group of others', async () => {
    await run('oc_others', MEMBER)
    expect(await tell()).toEqual([])
  })
})
