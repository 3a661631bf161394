/** R1–R8: the process dies at every step of a slot that came due by itself; what was due comes once. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { SCHEDULE_FAULT_POINTS } from '../../src/house/faults.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { type Company, type Shown, until } from './support/company.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { configText } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'
import { openWecomCompany } from './support/wecom-company.ts'

const COMPANIES = { feishu: openFeishuCompany, wecom: openWecomCompany }
/** Longer than a doubled result would need after the first. */
const AFTERMATH_MS = 1_500
const TEST_MS = 120_000

type Kind = 'prompt' | 'report'

/** What a schedule does, and the words by which its result is known. */
const KINDS: Readonly<Record<Kind, { readonly field: string; readonly result: string }>> = {
  prompt: { field: 'prompt: 看看工作目录里有哪些文件', result: '工作目录是空的' },
  report: { field: 'report: approvals_waiting', result: '待审批事项' },
}

/** The table: a fault point without a line here does not compile. */
const table: Readonly<Record<(typeof SCHEDULE_FAULT_POINTS)[number] | 'message_sent', readonly Kind[]>> = {
  slot_claimed: ['prompt', 'report'],
  slot_begun: ['prompt'],
  report_rendered: ['report'],
  // A run's own is in kill-flows.test.ts.
  message_sent: ['report'],
}
const scenes = Object.entries(table).flatMap(([fault, kinds]) => kinds.map((kind) => ({ fault, kind })))

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

/** What an hour of waiting would do: the schedule's next time has just come. */
function becomeDue(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'yizhan.db'))
  const now = Date.now()
  database.prepare("UPDATE schedules SET next_due = ?, next_at = ? WHERE id = 'nightly'").run(now, now)
  database.close()
}

describe.each(['feishu', 'wecom'] as const)('R1–R8: kill -9 in a schedule that is due on %s', (platform) => {
  it.each(scenes)(
    '$kind, at $fault: its result comes once',
    { timeout: TEST_MS },
    async ({ fault, kind }) => {
      company = await COMPANIES[platform](createSystemClock())
      const folder = mkdtempSync(join(tmpdir(), 'yizhan-slots-'))
      const dataDir = join(folder, 'data')
      const config = join(folder, 'yizhan.yaml')
      const { field, result } = KINDS[kind]
      const owner = company.people.admin.key
      const schedule = `{ id: nightly, cron: "0 3 1 1 *", to: { bot: ops, chat: "${company.chatId}" }, ${field}, owner: "${owner}" }`
      writeFileSync(config, configText(company, dataDir, `schedules: [${schedule}]`))
      // A bot may write into a group of WeCom once somebody has spoken to it there.
      service = await startService(config)
      await waitFor(() => company.online() || undefined, 'a connection')
      await company.say('你好')
      await waitFor(() => company.finals()[0], 'the greeting')
      await service.kill('SIGTERM')
      becomeDue(dataDir)

      service = await startService(config, { FAULT_AT: fault })
      expect(await service.ended()).toBe('SIGKILL')
      service = await startService(config)
      const results = (): readonly Shown[] => company.shown().filter(({ text }) => text.includes(result))
      await waitFor(() => results()[0], 'the result')
      await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
      expect(results()).toHaveLength(1)
    },
  )
})
