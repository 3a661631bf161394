import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import { openConnection } from '../../../../src/mcp/client/connection.ts'

describe('openConnection', () => {
  it('M6: progress without end does not keep a call alive beyond ten minutes', async () => {
    vi.useFakeTimers()
    try {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      const server = new Server({ name: 'busy', version: '1' }, { capabilities: { tools: {} } })
      const cancelled = Promise.withResolvers<number>()
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
        signal.addEventListener('abort', () => cancelled.resolve(progress))
        let progress = 0
        const progressToken = params._meta?.progressToken ?? ''
        setInterval(() => {
          progress += 1
          void sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
        }, 30_000)
        return new Promise(() => {})
      })
      await server.connect(theirs)
      const connection = await openConnection(ours, { onClosed: () => {}, onToolsChanged: () => {} })
      const call = connection.call('wait', {}, AbortSignal.any([]))
      const rejected = expect(call).rejects.toThrow(/timeout/i)
      await vi.advanceTimersByTimeAsync(660_000)
      await rejected
      expect(await cancelled.promise).toBeLessThan(22)
      await connection.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('a hello that fails rejects with its own reason, and is no connection that ended', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await theirs.start()
    theirs.onmessage = (message) => {
      if ('id' in message)
        void theirs.send({
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32_000, message: 'come back later' },
        })
    }
    let ends = 0
    const events = { onClosed: () => (ends += 1), onToolsChanged: () => {} }
    await expect(openConnection(ours, events)).rejects.toThrow('come back later')
    expect(ends).toBe(0)
  })

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list'])(
    'M12: a server that asks for %s is refused, and the connection goes on',
    async (method) => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      const server = new Server({ name: 'curious', version: '1' }, { capabilities: { tools: {} } })
      await server.connect(theirs)
      const connection = await openConnection(ours, { onClosed: () => {}, onToolsChanged: () => {} })
      expect(server.getClientCapabilities()).toEqual({})
      const asked = server.request({ method, params: {} } as never, EmptyResultSchema as never)
      await expect(asked).rejects.toThrow()
      expect(await connection.answers()).toBe(true)
      await connection.close()
    },
  )
})
