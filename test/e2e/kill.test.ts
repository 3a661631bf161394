/** R1–R8: the process dies at every step of the main job; the next start loses and doubles nothing. */
import { describe, expect, it } from 'vitest'
import { MAIN_FAULT_POINTS } from '../../src/house/faults.ts'
import { timesRun } from './support/house.ts'
import { openStage } from './support/stage.ts'

/** WeCom never repeats what came over the long connection; Feishu does what was not acknowledged. */
const REDELIVERS = { feishu: true, wecom: false }

interface Scene {
  /** What the person says; an approver's click follows when there is a card. */
  readonly say: string
  readonly fault: string
  /** How often the command must have run in the end; absent where there is none. */
  readonly ran?: number
}

const COMMAND = '运行 echo x >> count.txt'

/** The table: a fault point without a line here does not compile. */
const table: Readonly<Record<(typeof MAIN_FAULT_POINTS)[number], Scene>> = {
  inbox_stored: { say: '你好', fault: 'inbox_stored' },
  model_asked: { say: '你好', fault: 'model_asked' },
  mid_stream: { say: '你好', fault: 'mid_stream:2' },
  intent_written: { say: COMMAND, fault: 'intent_written', ran: 0 },
  effect_done: { say: COMMAND, fault: 'effect_done', ran: 1 },
  approval_decided: { say: COMMAND, fault: 'approval_decided', ran: 1 },
  answer_logged: { say: '你好', fault: 'answer_logged' },
  message_sent: { say: '你好', fault: 'message_sent' },
}

describe.concurrent.each(['feishu', 'wecom'] as const)('R1, R2: kill -9 at every step on %s', (platform) => {
  it.each(MAIN_FAULT_POINTS)(
    '%s: one answer after the restart, no effect twice',
    { timeout: 120_000 },
    async (point) => {
      const scene = table[point]
      await using stage = await openStage(platform)
      const { company } = stage
      await stage.start(scene.fault)
      const messageId = await company.say(scene.say)
      if (scene.ran !== undefined) {
        const pending = await stage.card()
        // Nobody answers a click on a service that is just dying.
        company.press(pending.id, '允许', company.people.admin).catch(() => {})
      }
      expect(await stage.ended()).toBe('SIGKILL')

      await stage.start()
      if (point === 'inbox_stored' && REDELIVERS[platform]) company.redeliver(messageId)
      await stage.waitFor(() => company.finals()[0], 'the answer')
      await stage.aftermath()
      expect(company.finals()).toHaveLength(1)
      // A message that still runs shows what was said so far, perhaps all of it.
      expect(company.shown().filter(({ finished }) => !finished)).toEqual([])
      if (scene.ran !== undefined) expect(timesRun(stage.dataDir)).toBe(scene.ran)
    },
  )

  it('R6, R7: the pending card still works after three restarts, also when it was clicked while nobody was there', {
    timeout: 120_000,
  }, async () => {
    await using stage = await openStage(platform)
    const { company } = stage
    await stage.start()
    await company.say(COMMAND)
    const pending = await stage.card()
    for (let round = 0; round < 3; round++) {
      await stage.kill('SIGKILL')
      // No platform delivers a click a second time. One such click is enough: people wait for their client.
      const missed = round === 2 && company.press(pending.id, '允许', company.people.admin)
      if (missed) expect(await missed.catch(() => 'unchanged')).toBe('unchanged')
      await stage.start()
    }
    await stage.online()
    expect(await company.press(pending.id, '允许', company.people.admin)).toBe('changed')
    await stage.waitFor(() => company.finals()[0], 'the answer')
    expect(timesRun(stage.dataDir)).toBe(1)
    expect(company.finals()).toHaveLength(1)
  })
})
