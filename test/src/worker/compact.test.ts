import { expect, it } from 'vitest'
import { setCompactRequested } from '../../../src/store/repositories/sessions.ts'
import { ended, type Run, session, workerStages } from './stage.ts'

const open = workerStages()

it('/compact sums the conversation up before one answer, not before the next as well', async () => {
  const asked: (boolean | undefined)[] = []
  const first: Run = async function* (_view, deps) {
    asked.push(deps.compactFirst)
    yield ended('before the message was read')
  }
  const second: Run = async function* (view, deps) {
    asked.push(deps.compactFirst)
    await view.takeInput()
    yield ended('answered')
  }
  const stage = await open([first, second])
  await stage.say('一')
  await setCompactRequested(stage.store.db, session, true)
  await stage.work()
  if (stage.woken.includes(session)) await stage.work()
  expect(asked).toEqual([true, false])
})
