import { afterEach, expect, it } from 'vitest'
import { createPipePool } from '../../../src/sandbox/pipes.ts'
import { descendants } from '../../../src/sandbox/process-tree.ts'
import { createWarmShells, type WarmShell } from '../../../src/sandbox/warm-shells.ts'
import { createManualClock } from '../../support/clock.ts'

const KIND = { limits: { memoryBytes: 500_000_000, pids: 50 }, inputs: 1 }
const clock = createManualClock()
const warmShells = createWarmShells({ clock, pipes: createPipePool() })
afterEach(() => warmShells.close())

/** What the command put out, once it has ended; its group is given up. */
async function ran(starter: WarmShell, argv: readonly string[]): Promise<string> {
  const chunks: Buffer[] = []
  starter.output.on('data', (chunk: Buffer) => chunks.push(chunk))
  const over = new Promise<void>((resolve) => starter.output.once('close', () => resolve()))
  starter.become(argv)
  await over
  starter.group?.remove()
  return Buffer.concat(chunks).toString()
}

const children = (): number[] => descendants(process.pid)

/** Runs a command and returns the process that then waits for the next one. */
async function waitingAfterFirst(): Promise<number> {
  const before = new Set(children())
  const first = await warmShells.take(KIND)
  await clock.advance(1_000)
  await expect.poll(() => children().filter((pid) => !before.has(pid)).length).toBe(2)
  const [waiting = 0] = children().filter((pid) => !before.has(pid) && pid !== first.child.pid)
  await ran(first, ['/bin/true'])
  return waiting
}

it('I2: the command gets exactly the arguments that were given, whatever characters they hold', async () => {
  const all = Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code + 1)).join('')
  const words = [
    all,
    "it's '' \\' $(id) `id` $HOME \\",
    '\n\n',
    '',
    '运行 ✓ 🚆\u0081\u0088',
    '-n',
    '*',
    '#',
    ' a  b ',
  ]
  const output = await ran(await warmShells.take(KIND), ['/usr/bin/printf', '%s\\0', ...words])
  expect(output.split('\0').slice(0, -1)).toEqual(words)
})

it('the command reads nothing, and both its outputs come in order', async () => {
  const argv = ['/bin/sh', '-c', 'cat; echo one; echo two >&2; echo three']
  expect(await ran(await warmShells.take(KIND), argv)).toBe('one\ntwo\nthree\n')
})

it('one waits after the first command, and becomes the second', async () => {
  const waiting = await waitingAfterFirst()
  expect(await ran(await warmShells.take(KIND), ['/bin/sh', '-c', 'echo $$'])).toBe(`${waiting}\n`)
})

it('one that died waiting is not given out', async () => {
  const waiting = await waitingAfterFirst()
  process.kill(waiting, 'SIGKILL')
  await expect.poll(children).not.toContain(waiting)
  expect(await ran(await warmShells.take(KIND), ['/bin/echo', 'alive'])).toBe('alive\n')
})

it('nothing waits after the end', async () => {
  const waiting = await waitingAfterFirst()
  await warmShells.close()
  expect(children()).not.toContain(waiting)
})

it('other limits or descriptors get a process of their own', async () => {
  await waitingAfterFirst()
  const other = await warmShells.take({ ...KIND, inputs: 2 })
  expect(other.child.stdio).toHaveLength(6)
  await ran(other, ['/bin/true'])
})
