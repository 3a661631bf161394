/** Creates the transport for each kind of server entry: a sandboxed program, HTTP or SSE. */
import { createHash } from 'node:crypto'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { AppError } from '../../protocol/errors.ts'
import type { Clock, Random } from '../../protocol/ports.ts'
import type { ProgramLauncher } from '../../sandbox/index.ts'
import { loadLogin, saveLogin } from '../../store/repositories/mcp.ts'
import type { Store } from '../../store/store.ts'
import { cleanLine } from './clean-text.ts'
import type { ProgramTarget, RemoteTarget, ServerEntry } from './entry.ts'
import type { Wire } from './link.ts'
import { createLogin } from './login.ts'
import type { Logins } from './logins.ts'
import { type ProgramPlaces, prepareProgram } from './program.ts'
import { createProgramTransport } from './program-transport.ts'
import { createRemoteTransport } from './remote-transport.ts'
import { createStartLine, type StartLine } from './start-line.ts'

export interface WiresDeps {
  readonly store: Store
  readonly launcher: ProgramLauncher
  readonly places: ProgramPlaces
  readonly logins: Logins
  readonly publicFetch: FetchLike
  readonly clock: Clock
  readonly random: Random
}

/** Rejects with `mcp.bad_entry` for an entry without a target. Each call makes a new connection. */
export function createWires(deps: WiresDeps): (entry: ServerEntry) => Promise<Wire> {
  const line = createStartLine(deps.clock)
  return async (entry) => {
    const { target } = entry
    if (!target) throw new AppError('mcp.bad_entry', entry.problem ?? 'the entry cannot be used')
    return target.kind === 'program'
      ? programWire(entry.name, target, deps, line)
      : remoteWire(entry.name, target, deps)
  }
}

function programWire(name: string, target: ProgramTarget, deps: WiresDeps, line: StartLine): Wire {
  const folder = createHash('sha256').update(name).digest('hex').slice(0, 24)
  const transport = createProgramTransport({
    clock: deps.clock,
    start: (leaving) =>
      line.begin(async () => deps.launcher.spawn(await prepareProgram(folder, target, deps.places)), leaving),
  })
  return {
    transport,
    complaint: () => {
      const said = transport.complaints().split('\n').slice(-3).join(' ')
      const parts = [transport.ending(), said === '' ? undefined : `it says: ${cleanLine(said, 300)}`]
      const text = parts.filter((part) => part !== undefined).join('; ')
      return text === '' ? undefined : text
    },
  }
}

async function remoteWire(name: string, target: RemoteTarget, deps: WiresDeps): Promise<Wire> {
  const { store, logins } = deps
  const state = deps.random.id(16)
  // Who gives an Authorization header has logged in by other means.
  const hasToken = Object.keys(target.headers).some((header) => header.toLowerCase() === 'authorization')
  const login = hasToken
    ? undefined
    : await createLogin({
        redirectUrl: logins.redirectUrl(),
        clientName: 'Yizhan',
        registered: target.oauth,
        clientMetadataUrl: logins.clientMetadataUrl(),
        state: () => state,
        load: () => loadLogin(store.db, name, target.url),
        save: (data) => saveLogin(store.db, name, target.url, data, deps.clock.now()),
        onPersonNeeded: (url) => logins.begin(state, name, url),
      })
  const transport = await createRemoteTransport(target, { login, publicFetch: deps.publicFetch })
  return { transport, finishLogin: (code) => transport.finishAuth(code) }
}
