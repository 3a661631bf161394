/** A stop that comes while a server is being started waits for its program's end, not for its hello. */
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { readEntry } from '../../../../src/mcp/client/entry.ts'
import { createLink, type Wire } from '../../../../src/mcp/client/link.ts'
import { createProgramTransport } from '../../../../src/mcp/client/program-transport.ts'
import type { RunningProgram } from '../../../../src/sandbox/index.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'

/** A program that says nothing and lives until it is killed. */
function silentProgram(): RunningProgram & { readonly killed: () => boolean } {
  const end = Promise.withResolvers<{ code: null; signal: string }>()
  let isKilled = false
  return {
    ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
    ended: end.promise,
    kill: () => {
      isKilled = true
      end.resolve({ code: null, signal: 'SIGKILL' })
    },
    killed: () => isKilled,
  }
}

it('a wire that is closed while its program starts kills the program, and its start fails', async () => {
  const [asked, starting] = [Promise.withResolvers<void>(), Promise.withResolvers<RunningProgram>()]
  const program = silentProgram()
  const transport = createProgramTransport({
    clock: createManualClock(),
    start: () => {
      asked.resolve()
      return starting.promise
    },
  })
  const started = transport.start()
  await asked.promise
  await transport.close()
  starting.resolve(program)
  await expect(started).rejects.toMatchObject({ code: 'mcp.not_connected' })
  expect(program.killed()).toBe(true)
})

it('a wire that is closed tells its start, which may still stand in a line', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  const transport = createProgramTransport({
    clock: createManualClock(),
    start: (leaving) => {
      asked.resolve(leaving)
      return new Promise((_, reject) => leaving.addEventListener('abort', () => reject(leaving.reason)))
    },
  })
  const started = transport.start()
  const leaving = await asked.promise
  expect(leaving.aborted).toBe(false)
  await transport.close()
  await expect(started).rejects.toMatchObject({ code: 'mcp.not_connected' })
})

it('a wire that is closed before its start starts nothing', async () => {
  let starts = 0
  const transport = createProgramTransport({
    clock: createManualClock(),
    start: async () => {
      starts += 1
      return silentProgram()
    },
  })
  await transport.close()
  await expect(transport.start()).rejects.toMatchObject({ code: 'mcp.not_connected' })
  expect(starts).toBe(0)
})

it('a link that is stopped before its wire is open lets go of the wire, and is stopped at once', async () => {
  const store = await openTestStore()
  const [opening, program] = [Promise.withResolvers<Wire>(), silentProgram()]
  const clock = createManualClock()
  const entry = { origin: 'test', network: 'none', variables: undefined } as const
  const link = createLink(readEntry('silent', { command: 'silent' }, entry), {
    ...{ store, clock, random: { id: () => 'x', float: () => 0.5 }, logger: createCollectingLogger() },
    ...{ open: () => opening.promise, onChange: () => {}, onWithdrawn: () => {} },
  })
  await link.start()
  const stopped = link.stop()
  opening.resolve({ transport: createProgramTransport({ clock, start: async () => program }) })
  await stopped
  expect(link.state).toBe('stopped')
  await store.close()
})
