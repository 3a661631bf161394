/** The process dies at the steps of a background task; the next start goes on with it, once. */
import { describe, expect, it } from 'vitest'
import type { Shown } from './support/company.ts'
import { timesRun } from './support/house.ts'
import { openStage } from './support/stage.ts'

/** Calls with an effect, in order: task_create, task_execute, then the agent's shell and task_complete. */
const FAULTS = [
  ['right after the task was started', 'effect_done:2', 1],
  ["before the agent's command", 'intent_written:3', 0],
  ["after the agent's command", 'effect_done:3', 1],
  ['after the agent said that it is done', 'effect_done:4', 1],
  ['after the click', 'approval_decided', 1],
] as const

describe.concurrent('kill -9 while a task is executed', () => {
  it.each(FAULTS)(
    'R: %s: one result to verify, no effect twice',
    { timeout: 120_000 },
    async (_what, fault, ran) => {
      await using stage = await openStage('feishu', () => 'workbench: { task: true }')
      const { company } = stage
      const toVerify = (): readonly Shown[] =>
        company.shown().filter((message) => message.buttons.includes('通过'))
      const press = async (): Promise<void> => {
        const pending = await stage.card()
        await stage.online()
        await company.press(pending.id, '允许', company.people.admin).catch(() => {})
      }
      await stage.start(fault)
      await company.say('新建任务：运行 echo x >> count.txt')
      if (fault !== 'effect_done:2') await press()
      expect(await stage.ended()).toBe('SIGKILL')
      await stage.start()
      if (fault === 'effect_done:2') await press()
      await stage.waitFor(() => toVerify()[0], 'the card to verify')
      expect(toVerify()).toHaveLength(1)
      expect(timesRun(stage.dataDir)).toBe(ran)
    },
  )
})
