/** R1–R8: the process dies at every step of a slot that came due by itself; what was due comes once. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { SCHEDULE_FAULT_POINTS } from '../../src/house/faults.ts'
import type { Shown } from './support/company.ts'
import { openStage } from './support/stage.ts'

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

/** What an hour of waiting would do: the schedule's next time has just come. */
function becomeDue(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'yizhan.db'))
  const now = Date.now()
  database.prepare("UPDATE schedules SET next_due = ?, next_at = ? WHERE id = 'nightly'").run(now, now)
  database.close()
}

describe.concurrent.each(['feishu', 'wecom'] as const)(
  'R1–R8: kill -9 in a schedule that is due on %s',
  (platform) => {
    it.each(scenes)(
      '$kind, at $fault: its result comes once',
      { timeout: TEST_MS },
      async ({ fault, kind }) => {
        const { field, result } = KINDS[kind]
        await using stage = await openStage(platform, ({ chatId, people }) => {
          const to = `{ bot: ops, chat: "${chatId}" }`
          return `schedules: [{ id: nightly, cron: "0 3 1 1 *", to: ${to}, ${field}, owner: "${people.admin.key}" }]`
        })
        const { company } = stage
        // A bot may write into a group of WeCom once somebody has spoken to it there.
        await stage.start()
        await stage.online()
        await company.say('你好')
        await stage.waitFor(() => company.finals()[0], 'the greeting')
        await stage.kill('SIGTERM')
        becomeDue(stage.dataDir)

        await stage.start(fault)
        expect(await stage.ended()).toBe('SIGKILL')
        await stage.start()
        const results = (): readonly Shown[] => company.shown().filter(({ text }) => text.includes(result))
        await stage.waitFor(() => results()[0], 'the result')
        await stage.aftermath()
        expect(results()).toHaveLength(1)
      },
    )
  },
)
