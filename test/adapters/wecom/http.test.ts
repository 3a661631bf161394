import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callApi } from '../../../adapters/wecom/http.ts'

let server: Server
let url: string
beforeEach(async () => {
  server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Begins a call, stops it once it is on the wire, and lets the platform answer. */
async function stoppedOnTheWire(repeatable: boolean): Promise<unknown> {
  const stop = new AbortController()
  const outcome = callApi({ name: 'a/b', url, json: {}, repeatable, signal: stop.signal }).catch(
    (error: unknown) => error,
  )
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  stop.abort(new Error('stopped'))
  response.setHeader('content-type', 'application/json').end('{"errcode":0,"msgid":"m1"}')
  return outcome
}

describe('a call that is told to stop', () => {
  it('R22: goes on when it is on the wire and must not be repeated: cut short it may still arrive', async () => {
    expect(await stoppedOnTheWire(false)).toMatchObject({ msgid: 'm1' })
  })

  it('ends at once when it only reads', async () => {
    expect(await stoppedOnTheWire(true)).toEqual(new Error('stopped'))
  })
})
