import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterEach, expect, it, vi } from 'vitest'
import { readEntry } from '../../../../src/mcp/client/entry.ts'
import { createLink } from '../../../../src/mcp/client/link.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'

afterEach(() => void vi.useRealTimers())

/** Says hello and lists one tool; answers nothing else. */
async function deafServer(): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const tools = [{ name: 'wait', inputSchema: { type: 'object' } }]
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'deaf', version: '1' },
  }
  theirs.onmessage = (message) => {
    if (!('id' in message) || !('method' in message)) return
    const result =
      message.method === 'initialize' ? hello : message.method === 'tools/list' ? { tools } : undefined
    if (result) void theirs.send({ jsonrpc: '2.0', id: message.id, result })
  }
  await theirs.start()
  return ours
}

it('M6: a server that answers neither a call nor a ping is started again, and the result says which one it was', async () => {
  const store = await openTestStore()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  let opened = 0
  const link = createLink(
    readEntry('deaf', { command: 'deaf' }, { origin: 'test', network: 'none', variables: undefined }),
    {
      ...{ store, clock: createManualClock(), random: { id: () => 'x', float: () => 0.5 } },
      logger: createCollectingLogger(),
      open: async () => {
        opened += 1
        return { transport: await deafServer() }
      },
      ...{ onChange: () => {}, onWithdrawn: () => {} },
    },
  )
  await link.start()
  await link.settled()
  expect(link.state).toBe('ready')
  const call = link.call('wait', {}, new AbortController().signal)
  let isOver = false
  void call.finally(() => {
    isOver = true
  })
  // On a busy machine the call may begin to wait only after the first of these steps.
  while (!isOver) await vi.advanceTimersByTimeAsync(5_000)
  expect((await call).result).toMatchObject({
    ...{ ok: false, error: { type: 'timeout', message: expect.stringContaining('"deaf"') } },
  })
  await link.settled()
  expect(opened).toBe(2)
  await link.stop()
  vi.useRealTimers()
  await store.close()
})
