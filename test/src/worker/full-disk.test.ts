import { describe, expect, it } from 'vitest'
import { openRun, recentRuns } from '../../../src/store/repositories/runs.ts'
import { outOfSpace } from '../../support/full-disk.ts'
import { ended, type Run, session, workerStages } from './stage.ts'

const open = workerStages()

/** Nothing that large fits into the pages that are there. */
const LARGE = 'x'.repeat(400_000)
const writes: Run = async function* (view) {
  await view.takeInput()
  yield { type: 'turn', step: 1 }
  await view.append({ type: 'assistant', text: LARGE, toolCalls: [], model: 'main' })
  const heard = view.entries().filter(({ entry }) => entry.type === 'user').length
  yield ended(`done after ${heard} message`)
}

describe('R13: a run in its middle', () => {
  it('waits for room however often it is tried, and then goes on where it stood', async () => {
    const { store, adapter, work, say } = await open([writes])
    await say('write it')
    const room = await outOfSpace(store)
    for (let round = 0; round < 5; round++) await expect(work()).rejects.toMatchObject({ code: 'store.full' })
    expect(await openRun(store.db, session)).toMatchObject({ state: 'running', crashes: 0 })
    expect(adapter.messages().filter((text) => text.startsWith('run.'))).toEqual([])

    await room()
    await work()
    expect(adapter.messages().at(-1)).toBe('done after 1 message')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'done' }])
  })

  it('takes nobody with it: the chat’s next message waits too, and is answered', async () => {
    const { store, adapter, work, say } = await open([writes])
    await say('write it')
    const room = await outOfSpace(store)
    await expect(work()).rejects.toMatchObject({ code: 'store.full' })
    await say('and this')
    await room()
    await work()
    expect(adapter.messages().at(-1)).toBe('done after 2 message')
  })
})
