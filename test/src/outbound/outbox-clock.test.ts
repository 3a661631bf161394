import { expect, it } from 'vitest'
import { busy, mail, outboxStages } from './stage.ts'

const open = outboxStages()

it.each([
  ['the clock is set back meanwhile', undefined, -7_200_000, 10_000],
  ['the platform asks for a day', 86_400_000, 0, 600_000],
])('a message that is tried again leaves soon, although %s', async (_name, retryAfterMs, jump, ms) => {
  const { clock, adapter, send } = await open()
  adapter.fail(busy(retryAfterMs))
  await send(mail('a', { deadlineMs: 90_000_000 }))
  clock.jump(jump)
  await clock.advance(ms)
  expect(adapter.said()).toEqual(['words of a', 'words of a'])
})
