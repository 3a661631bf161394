import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openConnection } from '../../../../src/mcp/client/connection.ts'

describe('openConnection', () => {
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
