import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { admin, openRoom, openRow } from './fixture.ts'

describe('C6: two deciders', () => {
  it('of allow and deny in two threads exactly one wins, in each of 1,000 rounds', async () => {
    const room = await openRoom({
      config: { access: { admins: [admin.user] }, approval: { maxPendingPerChat: 2_000 } },
    })
    const rows: { id: string; nonce: string }[] = []
    for (let i = 0; i < 1_000; i++) rows.push(await openRow(room, `c${i}`, { runId: `r${i}` }))
    const shared = new SharedArrayBuffer(4)
    const decideAll = (decision: 'allow' | 'deny') =>
      runDecider({
        dataDir: room.store.dataDir,
        decision,
        rows: rows.map(({ id, nonce }) => ({ id, nonce })),
        shared,
      })
    const [allows, denies] = await Promise.all([decideAll('allow'), decideAll('deny')])
    expect([allows.length, denies.length]).toEqual([1_000, 1_000])
    for (const [round, row] of rows.entries()) {
      const status = (await room.approvals.byId(row.id))?.status
      const [allow, deny] = [allows[round], denies[round]]
      expect([allow?.outcome, deny?.outcome].sort()).toEqual(['already', 'decided'])
      expect(status).toBe(allow?.outcome === 'decided' ? 'approved' : 'denied')
      expect([allow?.status, deny?.status]).toEqual([status, status])
    }
    expect(await room.audit.verify()).toMatchObject({ ok: true, rows: 2_000 })
  }, 180_000)
})

async function runDecider(workerData: object): Promise<{ outcome: string; status: string }[]> {
  const worker = new Worker(new URL('./decider.ts', import.meta.url), { workerData })
  const [results] = await once(worker, 'message')
  return results
}
