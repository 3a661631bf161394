/** From the click of an approver to the first moment of the command, with a small and with a large service. */
import { configSchema } from '../../src/config/schema.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { openFeishuHouse } from '../e2e/support/feishu-house.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { quantile, type Row } from './row.ts'
import { openPlace } from './tool-bench.ts'

const BALLAST_BYTES = 100_000_000
/** A chat takes five messages a second: faster rounds would measure the platform's limit. So groups take turns. */
const GROUPS = 3
const PAUSE_MS = 200

export async function measureClick(quick: boolean): Promise<Row[]> {
  const ballast = Array.from({ length: 10 }, () => Buffer.alloc(BALLAST_BYTES, 1))
  const { clicked, alone } = await clicks(quick ? 8 : 40)
  const held = ballast.reduce((sum, part) => sum + part.length, 0) / 1e9
  const row = (share: number, name: string, bound: number): Row => {
    const [value, baseline] = [quantile(clicked, share), quantile(alone, share)]
    return {
      ...{ name: `click → command at ${held} GB resident, ${name}, beside the sandbox alone`, unit: 'ms' },
      ...{ value, baseline, ratio: value / baseline, target: `≤ ${bound} ms` },
      ok: value <= bound,
    }
  }
  return [row(0.5, 'p50', 60), row(0.99, 'p99', 120)]
}

/** Milliseconds of each round; the command itself says when it began. */
async function clicks(rounds: number): Promise<{ clicked: number[]; alone: number[] }> {
  const clock = createSystemClock()
  const house = await openFeishuHouse({}, clock)
  const sandbox = await createSandbox(configSchema.parse({}).sandbox, { logger: createCollectingLogger() })
  const groups = Array.from({ length: GROUPS }, (_, at) =>
    house.addGroup(`第${at}群`, Object.values(house.people)),
  )
  const [clicked, alone]: [number[], number[]] = [[], []]
  try {
    for (let i = 0; i < rounds + GROUPS; i++) {
      const chatId = groups[i % GROUPS] ?? house.chatId
      const before = new Set(house.answers(chatId).map((message) => message.messageId))
      const fresh = () => house.answers(chatId).filter((one) => !before.has(one.messageId))
      house.ask('运行 date +%s%N', { chatId })
      const card = await house.until(
        () => fresh().find((one) => one.text.includes('允许')),
        'the approval card',
      )
      const clickedAt = performance.timeOrigin + performance.now()
      await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
      const answer = await house.until(() => {
        const done = fresh().find((one) => one.text.includes('已完成') && /\b\d{19}\b/.test(one.text))
        return /\b\d{19}\b/.exec(done?.text ?? '')?.[0]
      }, 'the answer')
      await clock.sleep(PAUSE_MS)
      const reference = await startMs(sandbox)
      // The first round of each group warms up the broker, its pipes and the session.
      if (i < GROUPS) continue
      clicked.push(Number(answer) / 1e6 - clickedAt)
      alone.push(reference)
    }
  } finally {
    await house.stop()
    await sandbox.close()
  }
  return { clicked, alone }
}

/** The same command without a house around the sandbox. */
async function startMs(sandbox: Sandbox): Promise<number> {
  using place = openPlace(sandbox)
  const { workspace } = place
  const { privateDir } = place.context('click')
  const startedAt = performance.timeOrigin + performance.now()
  const { output } = await sandbox.run(
    {
      ...{ command: 'date +%s%N', cwd: workspace, workspace, env: {}, timeoutMs: 30_000, outputBytes: 1_000 },
      ...{ logPath: `${privateDir}/log`, statusPath: `${privateDir}/status` },
    },
    new AbortController().signal,
  )
  return Number(output) / 1e6 - startedAt
}
