/** R12: what one message makes of the memory takes the process with it, and nobody else. */
import { expect, it } from 'vitest'
import { openStage } from './support/stage.ts'

/** Enough to start and to answer, little enough to be full in a moment. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=96' }

it('R12: a process that runs out of memory half-way through an answer: each person has one after the restart', {
  timeout: 120_000,
}, async () => {
  await using stage = await openStage('feishu')
  const { company } = stage
  const other = company.addGroup('乙组', [company.people.other])
  await stage.start('mid_stream:2:memory', SMALL_HEAP)
  await Promise.all([company.say('你好'), company.say('在吗', { chatId: other, from: company.people.other })])
  expect(await stage.ended()).toBe('SIGABRT')

  await stage.start()
  await stage.waitFor(() => company.finals()[0] && company.finals(other)[0], 'both answers')
  await stage.aftermath()
  for (const chat of [company.chatId, other]) {
    expect(company.finals(chat)).toHaveLength(1)
    expect(company.shown(chat).filter(({ finished }) => !finished)).toEqual([])
  }
})
