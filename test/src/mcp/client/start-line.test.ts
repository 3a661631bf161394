import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createStartLine } from '../../../../src/mcp/client/start-line.ts'
import type { RunningProgram } from '../../../../src/sandbox/index.ts'
import { createManualClock } from '../../../support/clock.ts'

/** A line of servers `0`, `1`, …, each with what its start came to. */
function open() {
  const clock = createManualClock()
  const line = createStartLine(clock)
  const started: number[] = []
  const ends: PromiseWithResolvers<{ code: number; signal: null }>[] = []
  const program = (at: number): RunningProgram => {
    const end = Promise.withResolvers<{ code: number; signal: null }>()
    ends[at] = end
    const pipes = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
    return { ...pipes, ended: end.promise, kill: () => end.resolve({ code: 0, signal: null }) }
  }
  const begin = (
    at: number,
    start: () => Promise<RunningProgram> = async () => program(at),
    leaving = new AbortController(),
  ): Promise<RunningProgram> =>
    line.begin(() => {
      started.push(at)
      return start()
    }, leaving.signal)
  return { clock, started, begin, end: (at: number) => ends[at]?.resolve({ code: 0, signal: null }) }
}

const many = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at)

it('starts four programs at once and four more every 250 ms, in the order in which they came', async () => {
  const { clock, started, begin } = open()
  for (const at of many(10)) void begin(at)
  await clock.advance(249)
  expect(started).toEqual(many(4))
  await clock.advance(1)
  expect(started).toEqual(many(8))
  await clock.advance(250)
  expect(started).toEqual(many(10))
  await clock.advance(250)
  expect(clock.pending()).toBe(0)
})

it('four servers or fewer start without any wait', async () => {
  const { started, begin } = open()
  await Promise.all(many(4).map((at) => begin(at)))
  expect(started).toEqual(many(4))
})

it('a program that dies at once, and one that cannot be started, make room at once', async () => {
  const { clock, started, begin, end } = open()
  const refused = begin(0, () => Promise.reject(new Error('there is no such program')))
  await expect(refused).rejects.toThrow('there is no such program')
  for (const at of many(6, 1)) void begin(at)
  await clock.advance(0)
  expect(started).toEqual(many(5))
  end(2)
  await clock.advance(0)
  expect(started).toEqual(many(6))
  // Its place was given once: the time that it would have had gives none.
  await clock.advance(250)
  expect(started).toEqual(many(7))
})

it('M7: starts that hang, on a dead disk for instance, do not hold up the others', async () => {
  const { clock, started, begin } = open()
  for (const at of many(4)) void begin(at, () => new Promise(() => {}))
  void begin(4)
  await clock.advance(250)
  expect(started).toEqual(many(5))
})

it('a server that is stopped while it stands in the line leaves it at once and starts nothing', async () => {
  const { clock, started, begin } = open()
  for (const at of many(4)) void begin(at)
  const leaving = new AbortController()
  const stopped = begin(4, undefined, leaving)
  void begin(5)
  leaving.abort(new Error('the server was stopped'))
  await expect(stopped).rejects.toThrow('the server was stopped')
  await clock.advance(250)
  expect(started).toEqual([0, 1, 2, 3, 5])
})

it('a stop right after a server was called takes nobody else out of the line', async () => {
  const { clock, started, begin, end } = open()
  const leaving = new AbortController()
  await Promise.all(many(4).map((at) => begin(at)))
  void begin(4, undefined, leaving)
  void begin(5)
  end(0)
  // Between the call and the start lies a microtask or two.
  for (let turns = 0; turns < 10 && started.length < 5; turns++) {
    await Promise.resolve()
    if (turns === 1) leaving.abort(new Error('the server was stopped'))
  }
  await clock.advance(250)
  expect(started).toContain(5)
})
