/** The protocol over standard input and output, for one client that started us. */

import type { Clock } from '../../protocol/ports.ts'
import { withTimeout } from '../../protocol/timeout.ts'
import type { CallService } from './call-service.ts'
import type { Caller } from './callers.ts'
import { createProtocolServer, type ProtocolDeps } from './protocol.ts'

/** How long answers that are under way are waited for once the client has closed our input. */
const LAST_ANSWERS_MS = 10_000

/** Serves until the client closes our input. */
export async function serveStdio(
  caller: Caller,
  deps: ProtocolDeps & { readonly clock: Clock },
): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const calls = new Set<Promise<unknown>>()
  const server = await createProtocolServer(caller, { ...deps, desk: counted(deps.desk, calls) })
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await closed
  await withTimeout(Promise.allSettled(calls), { ms: LAST_ANSWERS_MS, clock: deps.clock })
  // The answers of calls that have just ended are written in later turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  await server.close()
}

function counted(desk: CallService, calls: Set<Promise<unknown>>): CallService {
  return {
    ...desk,
    call: (...words) => {
      const call = desk.call(...words)
      calls.add(call)
      const done = (): void => void calls.delete(call)
      call.then(done, done)
      return call
    },
  }
}
