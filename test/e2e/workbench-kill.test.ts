/** The process dies at the steps of a background task; the next start goes on with it, once. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { type Company, type Shown, until } from './support/company.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { configText, timesRun } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'

let company: Company
let service: ServiceProcess | undefined
afterEach(async () => {
  await service?.kill('SIGKILL')
  await company.stop()
})

const waitFor = <T>(probe: () => T | undefined | false, what: string): Promise<T> =>
  until(company, probe, () => {
    const seen = company.shown().map((message) => message.text)
    return `${what}; the chat shows:\n${seen.join('\n---\n')}\n${service?.log() ?? ''}`
  })
const card = (): Shown | undefined => company.shown().find((message) => message.buttons.includes('允许'))
const toVerify = (): readonly Shown[] => company.shown().filter((message) => message.buttons.includes('通过'))

/** Calls with an effect, in order: task_create, task_execute, then the agent's shell and task_complete. */
const FAULTS = [
  ['right after the task was started', 'effect_done:2', 1],
  ["before the agent's command", 'intent_written:3', 0],
  ["after the agent's command", 'effect_done:3', 1],
  ['after the agent said that it is done', 'effect_done:4', 1],
  ['after the click', 'approval_decided', 1],
] as const

describe('kill -9 while a task is executed', () => {
  it.each(FAULTS)(
    'R: %s: one result to verify, no effect twice',
    { timeout: 120_000 },
    async (_what, fault, ran) => {
      company = await openFeishuCompany(createSystemClock())
      const folder = mkdtempSync(join(tmpdir(), 'yizhan-task-kill-'))
      const dataDir = join(folder, 'data')
      const config = join(folder, 'yizhan.yaml')
      writeFileSync(config, configText(company, dataDir, 'workbench: { task: true }'))
      service = await startService(config, { FAULT_AT: fault })
      await company.say('新建任务：运行 echo x >> count.txt')
      const press = async (): Promise<void> => {
        const pending = await waitFor(card, 'the card')
        await waitFor(() => company.online(), 'a connection')
        await company.press(pending.id, '允许', company.people.admin).catch(() => {})
      }
      if (fault !== 'effect_done:2') await press()
      expect(await service.ended()).toBe('SIGKILL')
      service = await startService(config)
      if (fault === 'effect_done:2') await press()
      await waitFor(() => toVerify()[0], 'the card to verify')
      expect(toVerify()).toHaveLength(1)
      expect(timesRun(dataDir)).toBe(ran)
    },
  )
})
