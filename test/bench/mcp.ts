/** MCP: how long a turn waits for servers, what a call through us costs, and what sessions of remote clients hold. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, MOODY, moody, openBench } from '../src/mcp/client/bench.ts'
import { residentMb } from './process-stats.ts'
import { atMost, median, type Row, ratioRow } from './row.ts'
import { openTenant, startOurs } from './servers.ts'

const SERVERS = 20
const CLIENTS = 200
const TOKEN = 'a-token-of-some-length'

export async function measureMcp(quick: boolean): Promise<Row[]> {
  return [...(await measureConnect()), await measureCall(quick ? 200 : 1_000), await measureSessions()]
}

/** Servers that think a second before they say hello: one after the other they would take twenty. */
async function measureConnect(): Promise<Row[]> {
  const one = await connect(1)
  const many = await connect(SERVERS)
  return [
    atMost(`${SERVERS} MCP servers: a turn waits`, many.turnMs, 'ms', 2_000),
    ratioRow(
      `${SERVERS} MCP servers connected (ref: one)`,
      { value: many.readyMs, baseline: one.readyMs, ratio: many.readyMs / one.readyMs, unit: 'ms' },
      { atMost: 5 },
    ),
  ]
}

async function connect(count: number): Promise<{ turnMs: number; readyMs: number }> {
  const entries = Array.from({ length: count }, (_, at) => {
    const server = moody()
    server.set({ mode: 'slow-hello' })
    return [`s${at}`, server.entry] as const
  })
  const began = performance.now()
  const bench = await openBench(Object.fromEntries(entries))
  const asked = performance.now()
  await bench.servers.settle()
  const turnMs = performance.now() - asked
  await bench.until(() => bench.servers.list().every(({ state }) => state === 'ready'), `${count} servers`)
  const readyMs = performance.now() - began
  await bench.stop()
  return { turnMs, readyMs }
}

async function measureCall(calls: number): Promise<Row> {
  const server = moody()
  const bench = await openBench({ moody: server.entry })
  await bench.until(() => bench.view('moody').state === 'ready', 'the server')
  const own = directly(server.folder)
  const [ours, theirs]: [number[], number[]] = [[], []]
  // In turns, so that whatever else the machine does falls on both.
  for (let i = 0; i < calls; i++) {
    ours.push(await through(bench))
    theirs.push(await own.call(i))
  }
  own.stop()
  await bench.stop()
  return atMost('MCP call through us, above the server’s own', median(ours) - median(theirs), 'ms', 3)
}

async function through(bench: Bench): Promise<number> {
  const start = performance.now()
  await bench.call('mcp__moody__greet', { who: 'x' })
  return performance.now() - start
}

/** The same calls written to the server's pipe by hand. */
function directly(folder: string) {
  const child = spawn(process.execPath, [MOODY, folder], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    stop: () => child.kill(),
    call: async (id: number): Promise<number> => {
      const start = performance.now()
      const params = { name: 'greet', arguments: { who: 'x' } }
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
      await lines.next()
      return performance.now() - start
    },
  }
}

/** Each client greets, opens its event stream and keeps both. */
async function measureSessions(): Promise<Row> {
  const tenant = await openTenant()
  const service = await startOurs(tenant, {
    yaml: `mcp: { serve: { callsPerMinute: 100000, callers: [{ name: bench, token: ${TOKEN} }] } }`,
  })
  const url = `http://127.0.0.1:${service.port}/mcp`
  const closing = new AbortController()
  await hold(url, closing.signal)
  await pause(1_000)
  const before = residentMb(service.pid)
  for (let i = 0; i < CLIENTS; i++) await hold(url, closing.signal)
  await pause(1_000)
  const grown = residentMb(service.pid) - before
  closing.abort()
  await service.stop()
  await tenant.simulator.stop()
  return atMost(`${CLIENTS} remote MCP clients hold sessions`, grown, 'MB', 100)
}

async function hold(url: string, signal: AbortSignal): Promise<void> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const hello = await fetch(url, { method: 'POST', headers, body })
  await hello.text()
  const session = { ...headers, 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' }
  const stream = await fetch(url, { headers: session, signal })
  if (!stream.ok) throw new Error(`a client's stream was answered with ${stream.status}`)
}
