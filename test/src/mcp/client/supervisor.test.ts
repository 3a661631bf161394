import { expect, it } from 'vitest'
import { createSupervisor, type Supervised } from '../../../../src/mcp/client/supervisor.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'

function stage(outcomes: ('ok' | 'fail')[], mostFailures?: number) {
  const clock = createManualClock()
  const tries: number[] = []
  let end = (_why: string): void => {}
  const target: Supervised = {
    connect: async (onEnded) => {
      tries.push(clock.monotonic())
      end = onEnded
      if ((outcomes.shift() ?? 'fail') === 'fail') throw new Error('refused')
    },
    disconnect: async () => {},
    judge: (error) => ({ why: String(error), needsLogin: false }),
  }
  const deps = { clock, random: { id: () => 'x', float: () => 0.5 }, logger: createCollectingLogger() }
  const supervisor = createSupervisor(target, { ...deps, mostFailures, onChange: () => {} })
  return { clock, tries, supervisor, end: (why: string) => end(why) }
}

it('the first failure is tried again, with pauses that grow to a minute', async () => {
  const { clock, tries, supervisor } = stage([])
  supervisor.start()
  await clock.advance(300_000)
  expect(tries.slice(0, 9).map((at, index) => at - (tries[index - 1] ?? 0))).toEqual([
    0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000,
  ])
  expect(supervisor.state).toBe('waiting')
})

it('M7: five deaths within a minute end the tries; a person starts it again', async () => {
  const { clock, tries, supervisor } = stage(['fail', 'fail', 'fail', 'fail', 'fail', 'ok'], 5)
  supervisor.start()
  await clock.advance(600_000)
  expect(tries).toHaveLength(5)
  expect(supervisor.state).toBe('broken')
  await supervisor.restart()
  await clock.advance(0)
  expect(supervisor.state).toBe('ready')
})

it('a connection that ends after a quiet hour is opened again at once', async () => {
  const { clock, tries, supervisor, end } = stage(['ok', 'ok'], 5)
  supervisor.start()
  await clock.advance(3_600_000)
  end('it was ended by SIGKILL')
  expect(supervisor).toMatchObject({ state: 'waiting', why: 'it was ended by SIGKILL' })
  await clock.advance(500)
  expect(supervisor.state).toBe('ready')
  expect(tries).toHaveLength(2)
})

it('what is stopped stays stopped', async () => {
  const { clock, tries, supervisor } = stage([])
  supervisor.start()
  await clock.advance(600)
  await supervisor.stop()
  await clock.advance(600_000)
  expect(supervisor.state).toBe('stopped')
  expect(tries).toHaveLength(2)
  expect(clock.pending()).toBe(0)
})
