import { afterEach, expect, it } from 'vitest'
import { insertTerminal } from '../../../../src/store/repositories/workbench-terminals.ts'
import { openWorkbench, type WorkbenchBench } from '../bench.ts'

let bench: WorkbenchBench
afterEach(() => bench.close())

it('a terminal of a process beside this one is not lost; once that process is gone, it is', async () => {
  const present = ['process-2']
  bench = await openWorkbench({ presence: { others: async () => present } })
  await insertTerminal(bench.store.db, {
    ...{ id: 'term_1', session_id: bench.a.sessionId, name: 'x', folder: '.', command: null, state: 'live' },
    ...{ reason: null, owner: 'process-2', revision: 1, tail: '', sequence: 0, created_by: 'feishu:ou_1' },
    ...{ created_at: 0, ended_at: null },
  })
  await bench.workbench.start()
  expect(await bench.workbench.terminals.find(bench.a, 'term_1')).toMatchObject({ live: true })
  present.pop()
  await bench.clock.advance(10_000)
  expect(await bench.workbench.terminals.find(bench.a, 'term_1')).toMatchObject({
    ...{ live: false, reason: 'crashed' },
  })
})
