/** One of two processes that decide the same rows at the same moment; run as a worker thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { admin, group, openRoom } from './fixture.ts'

const { dataDir, decision, rows, shared } = z
  .object({
    dataDir: z.string(),
    decision: z.enum(['allow', 'deny']),
    rows: z.array(z.object({ id: z.string(), nonce: z.string() })),
    shared: z.instanceof(SharedArrayBuffer),
  })
  .parse(workerData)

const arrived = new Int32Array(shared)
const room = await openRoom({ dataDir, seed: decision })
const results: { outcome: string; status: string | undefined }[] = []
for (const [round, row] of rows.entries()) {
  meet(2 * (round + 1))
  const result = await room.approvals.decide({
    target: { by: 'card', approvalId: row.id, nonce: row.nonce },
    decision,
    scope: 'once',
    operator: admin,
    address: group,
  })
  results.push({ outcome: result.outcome, status: 'row' in result ? result.row.status : undefined })
}
await room.store.close()
parentPort?.postMessage(results)

/** Waits until both have come to the same round. */
function meet(expected: number): void {
  Atomics.add(arrived, 0, 1)
  Atomics.notify(arrived, 0)
  for (let now = Atomics.load(arrived, 0); now < expected; now = Atomics.load(arrived, 0)) {
    Atomics.wait(arrived, 0, now)
  }
}
