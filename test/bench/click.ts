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
const PAUSE_MS = 700

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
  const [clicked, alone]: [number[], number[]] = [[], []]
  try {
    for (let i = 0; i < rounds + 3; i++) {
      const before = new Set(house.answers().map((message) => message.messageId))
      house.ask('运行 date +%s%N')
      const card = await house.until(
        () => house.answers().find((one) => !before.has(one.messageId) && one.text.includes('允许')),
        'the approval card',
      )
      const clickedAt = performance.timeOrigin + performance.now()
      await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
      const answer = await house.until(() => {
        const fresh = house.answers().filter((one) => !before.has(one.messageId))
        const done = fresh.find((one) => one.text.includes('已完成') && /\b\d{19}\b/.test(one.text))
        return /\b\d{19}\b/.exec(done?.text ?? '')?.[0]
      }, 'the answer')
      // A chat takes five messages a second: faster rounds would measure the platform's limit.
      await clock.sleep(PAUSE_MS)
      // The first rounds warm up the broker and its pipes.
      const reference = await startMs(sandbox)
      if (i < 3) continue
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
