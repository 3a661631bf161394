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
  const ours: number[] = []
  for (let i = 0; i < 100; i++) {
    const start = performance.now()
    await bench.call('mcp__moody__greet', { who: 'x' })
    ours.push(performance.now() - start)
  }
  const own = await directly(server.folder)
  expect(median(ours) - median(own)).toBeLessThan(3)
}, 60_000)

/** The same calls written to the server's pipe by hand. */
async function directly(folder: string): Promise<number[]> {
  const child = spawn(process.execPath, [MOODY, folder], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const times: number[] = []
  for (let id = 0; id <= 100; id++) {
    const start = performance.now()
    const params = { name: 'greet', arguments: { who: 'x' } }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
    await lines.next()
    // The first one waits for the program's own start.
    if (id > 0) times.push(performance.now() - start)
  }
  child.kill()
  return times
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
