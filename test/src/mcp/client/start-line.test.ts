import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createStartLine } from '../../../../src/mcp/client/start-line.ts'
import type { RunningProgram } from '../../../../src/sandbox/index.ts'
import { createManualClock } from '../../../support/clock.ts'

/** A line of servers `0`, `1`, … and those of them that were started; `called` comes right after each call. */
function open(called = (): void => {}) {
  const clock = createManualClock()
  const line = createStartLine({
    after: (ms, fn) =>
      clock.after(ms, () => {
        fn()
        called()
      }),
  })
  const started: number[] = []
  const program = (): RunningProgram => ({
    ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
    ...{ ended: new Promise(() => {}), kill: () => {} },
  })
  const begin = (
    at: number,
    start: () => Promise<RunningProgram> = async () => program(),
    leaving = new AbortController(),
  ): Promise<RunningProgram> =>
    line.begin(() => {
      started.push(at)
      return start()
    }, leaving.signal)
  return { clock, started, begin, program }
}

const many = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at)

it('starts one program every 50 ms, in the order in which they came, the first at once', async () => {
  const { clock, started, begin } = open()
  for (const at of many(3)) void begin(at)
  await clock.advance(49)
  expect(started).toEqual([0])
  await clock.advance(1)
  expect(started).toEqual([0, 1])
  await clock.advance(50)
  expect(started).toEqual([0, 1, 2])
  await clock.advance(50)
  expect(clock.pending()).toBe(0)
})

it('the pause begins when a start is done: programs that are slow to start leave the service air as well', async () => {
  const { clock, started, begin, program } = open()
  const slow = Promise.withResolvers<RunningProgram>()
  void begin(0, () => slow.promise)
  void begin(1)
  await clock.advance(100)
  slow.resolve(program())
  await clock.advance(49)
  expect(started).toEqual([0])
  await clock.advance(1)
  expect(started).toEqual([0, 1])
})

it('a program that comes later, when nobody stands in the line, starts at once', async () => {
  const { clock, started, begin } = open()
  await begin(0)
  await clock.advance(50)
  await begin(1)
  expect(started).toEqual([0, 1])
})

it('a program that cannot be started says so, and the next one starts', async () => {
  const { clock, started, begin } = open()
  const refused = begin(0, () => Promise.reject(new Error('there is no such program')))
  void begin(1)
  await expect(refused).rejects.toThrow('there is no such program')
  await clock.advance(50)
  expect(started).toEqual([0, 1])
})

it('M7: a start that hangs, on a dead disk for instance, holds up the others for 250 ms, and once', async () => {
  const { clock, started, begin, program } = open()
  const disk = Promise.withResolvers<RunningProgram>()
  const hanging = begin(0, () => disk.promise)
  for (const at of many(3, 1)) void begin(at)
  await clock.advance(249)
  expect(started).toEqual([0])
  await clock.advance(1)
  expect(started).toEqual([0, 1])
  disk.resolve(program())
  await hanging
  await clock.advance(50)
  // Its turn has passed: its late end calls nobody.
  expect(started).toEqual([0, 1, 2])
})

it('a server that is stopped while it stands in the line leaves it at once and starts nothing', async () => {
  const { clock, started, begin } = open()
  void begin(0)
  const leaving = new AbortController()
  const stopped = begin(1, undefined, leaving)
  void begin(2)
  leaving.abort(new Error('the server was stopped'))
  await expect(stopped).rejects.toThrow('the server was stopped')
  await clock.advance(50)
  expect(started).toEqual([0, 2])
})

it('a stop in the moment in which a server is called takes nobody else out of the line', async () => {
  const leaving = new AbortController()
  const { clock, started, begin } = open(() => leaving.abort(new Error('the server was stopped')))
  await begin(0)
  void begin(1, undefined, leaving)
  void begin(2)
  await clock.advance(100)
  expect(started).toContain(2)
})
