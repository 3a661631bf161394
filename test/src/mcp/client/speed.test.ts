import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { type Bench, MOODY, moody, openBench } from './bench.ts'

let bench: Bench | undefined
afterEach(() => bench?.stop())

it('20 programs connect side by side, not one after the other', async () => {
  const servers = Array.from({ length: 20 }, () => moody())
  const alone = performance.now()
  bench = await openBench({ only: moody().entry })
  await bench.until(() => bench?.view('only').state === 'ready', 'one server')
  const one = performance.now() - alone
  await bench.stop()
  const together = performance.now()
  bench = await openBench(Object.fromEntries(servers.map(({ entry }, at) => [`s${at}`, entry])))
  const { servers: all, until } = bench
  await until(() => all.list().every((view) => view.state === 'ready'), 'twenty servers')
  expect(performance.now() - together).toBeLessThan(one * 20)
  expect(all.tools()).toHaveLength(20)
}, 90_000)

it('a call through us costs less than 3 ms more than the server’s own time', async () => {
  const server = moody()
  bench = await openBench({ moody: server.entry })
  await bench.until(() => bench?.view('moody').state === 'ready', 'the server')
  const own = openDirectly(server.folder)
  const ours: number[] = []
  const theirs: number[] = []
  // By turns, so that whatever else the machine does meets both; the first ones warm up.
  for (let i = 0; i < 120; i++) {
    const start = performance.now()
    await bench.call('mcp__moody__greet', { who: 'x' })
    ours.push(performance.now() - start)
    theirs.push(await own.greet())
  }
  own.end()
  expect(quartile(ours.slice(20)) - quartile(theirs.slice(20))).toBeLessThan(3)
}, 60_000)

/** The same calls written to the server's pipe by hand. */
function openDirectly(folder: string): { greet(): Promise<number>; end(): void } {
  const child = spawn(process.execPath, [MOODY, folder], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  return {
    greet: async () => {
      const start = performance.now()
      const params = { name: 'greet', arguments: { who: 'x' } }
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: id++, method: 'tools/call', params })}\n`)
      await lines.next()
      return performance.now() - start
    },
    end: () => void child.kill(),
  }
}

/** The lower one: what a call takes when nothing else holds it up. */
function quartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0
}
