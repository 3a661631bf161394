/** How long a turn waits for servers: by the clock, without programs. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Found } from '../../../../src/mcp/client/discovery.ts'
import { readEntry, type ServerEntry } from '../../../../src/mcp/client/entry.ts'
import { createMcpServers, type McpServers } from '../../../../src/mcp/client/servers.ts'
import type { Store } from '../../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'

const entry = (name: string): ServerEntry =>
  readEntry(name, { command: name }, { origin: 'test', network: 'none', variables: undefined })

let clock: ManualClock
let store: Store
let found: Found
let look: () => Promise<Found>
let hellos: Map<string, PromiseWithResolvers<void>>
let servers: McpServers
beforeEach(async () => {
  clock = createManualClock()
  store = await openTestStore()
  look = async () => found
  hellos = new Map()
})
afterEach(async () => {
  await servers.stop()
  await store.close()
})

/** Servers that say hello when a test lets them. */
async function open(...names: string[]): Promise<void> {
  found = { entries: names.map(entry), problems: [] }
  servers = createMcpServers({
    ...{ store, clock, random: { id: () => 'x', float: () => 0.5 }, logger: createCollectingLogger() },
    discovery: { look: () => look() },
    open: async ({ name }) => ({ transport: await serverOf(helloOf(name).promise) }),
    onWithdrawn: () => {},
  })
  await servers.start()
}

function helloOf(name: string): PromiseWithResolvers<void> {
  const known = hellos.get(name) ?? Promise.withResolvers<void>()
  hellos.set(name, known)
  return known
}

async function serverOf(hello: Promise<void>): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const tools = [{ name: 'greet', inputSchema: { type: 'object' } }]
  const greeting = {
    ...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
    serverInfo: { name: 'late', version: '1' },
  }
  theirs.onmessage = (message) => {
    if (!('id' in message) || !('method' in message)) return
    const { id, method } = message
    const answer = (result: object): void => void theirs.send({ jsonrpc: '2.0', id, result: { ...result } })
    if (method === 'initialize') void hello.then(() => answer(greeting))
    if (method === 'tools/list') answer({ tools })
  }
  await theirs.start()
  return ours
}

/** A turn that asks now; `waited` is what it waited by the clock, undefined while it waits. */
function turn(): { readonly over: Promise<void>; readonly waited: () => number | undefined } {
  const asked = clock.monotonic()
  let waited: number | undefined
  const over = servers.settle().then(() => {
    waited = clock.monotonic() - asked
  })
  return { over, waited: () => waited }
}

async function ready(name: string): Promise<void> {
  helloOf(name).resolve()
  const state = (): string | undefined => servers.list().find((view) => view.name === name)?.state
  while (state() !== 'ready') await new Promise((resolve) => setImmediate(resolve))
}

const names = (): string[] => servers.tools().map((tool) => tool.name)

describe('a turn that meets servers which are still starting', () => {
  it('M6: waits 1.5 s from when it asked, not a moment longer, for one that says nothing', async () => {
    await open('silent', 'good')
    await ready('good')
    const first = turn()
    await clock.advance(1_499)
    expect(first.waited()).toBeUndefined()
    await clock.advance(1)
    expect(first.waited()).toBe(1_500)
    expect(names()).toEqual(['mcp__good__greet'])
  })

  it('goes on at once when the last of them has said what it offers', async () => {
    await open('slow', 'slower')
    const first = turn()
    await ready('slow')
    await clock.advance(400)
    expect(first.waited()).toBeUndefined()
    await ready('slower')
    await first.over
    expect(first.waited()).toBe(400)
    expect(names()).toEqual(['mcp__slow__greet', 'mcp__slower__greet'])
  })

  it('the look at the files is part of the wait, also one of which nobody knows when it ends', async () => {
    await open('silent')
    look = () => clock.sleep(1_000).then(() => found)
    const slow = turn()
    await clock.advance(1_500)
    expect(slow.waited()).toBe(1_500)
    const disk = Promise.withResolvers<Found>()
    look = () => disk.promise
    const stuck = turn()
    await clock.advance(1_499)
    expect(stuck.waited()).toBeUndefined()
    await clock.advance(1)
    expect(stuck.waited()).toBe(1_500)
    disk.resolve(found)
  })
})

describe('turns after the first', () => {
  it('M6: a server that hangs holds up the first turn alone, not every turn until it is given up', async () => {
    await open('silent')
    const first = turn()
    await clock.advance(1_500)
    await first.over
    const second = turn()
    await second.over
    expect(second.waited()).toBe(0)
  })

  it('a turn of another chat meanwhile waits no longer than the first one does', async () => {
    await open('silent')
    const first = turn()
    await clock.advance(1_000)
    const second = turn()
    await clock.advance(500)
    await Promise.all([first.over, second.over])
    expect([first.waited(), second.waited()]).toEqual([1_500, 500])
  })

  it('tools that came too late for the first turn are there for the next, which does not wait', async () => {
    await open('late')
    const first = turn()
    await clock.advance(1_500)
    await first.over
    expect(names()).toEqual([])
    await ready('late')
    const second = turn()
    await second.over
    expect(second.waited()).toBe(0)
    expect(names()).toEqual(['mcp__late__greet'])
  })

  it('a server that was added since has its own time', async () => {
    await open('silent')
    const first = turn()
    await clock.advance(1_500)
    await first.over
    found = { entries: [...found.entries, entry('added')], problems: [] }
    const second = turn()
    await clock.advance(300)
    expect(second.waited()).toBeUndefined()
    await ready('added')
    await second.over
    expect(second.waited()).toBe(300)
    expect(names()).toEqual(['mcp__added__greet'])
  })
})
