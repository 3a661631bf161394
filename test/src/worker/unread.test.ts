import { afterEach, expect, it } from 'vitest'
import { openWorker, type Run, type WorkerStage } from './stage.ts'

let stage: WorkerStage
afterEach(() => stage.close())

it('R34: a message that no run can read is tried three times, and does not fill the chat with failures', async () => {
  let runs = 0
  const breaks: Run = async function* () {
    yield { type: 'turn', step: ++runs }
    // Without a bound this would go on for ever.
    if (runs > 5) stage.worker.stop()
    throw new Error('broken')
  }
  stage = await openWorker([breaks])
  await stage.say('unreadable')
  await stage.work()
  expect(runs).toBe(3)
  expect(await stage.store.db.selectFrom('inbox').select('state').execute()).toEqual([{ state: 'taken' }])
})
