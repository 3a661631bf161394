/** Ourselves as an MCP server on standard input and output. Nothing but the protocol is written there. */

import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { configuredBots } from '../app.ts'
import { dataDirOf } from '../config/data-dir.ts'
import { processEnvironment } from '../config/environment.ts'
import { createFaults } from '../house/faults.ts'
import { buildHouse, type House } from '../house/house.ts'
import { type Caller, createCallers } from '../mcp/server/callers.ts'
import { serveStdio } from '../mcp/server/stdio.ts'
import { unknownWords } from '../mcp/server/tool-groups.ts'
import { AppError } from '../protocol/errors.ts'
import { stdioSessionPrefix } from '../protocol/remote-session.ts'
import { createSandbox } from '../sandbox/index.ts'
import { isInUse } from '../store/process-lock.ts'
import { openStore } from '../store/store.ts'
import type { Command } from './command.ts'
import { type Setup, setUp } from './setup.ts'
import { packageVersion } from './version.ts'

/** Name of the caller in `mcp.serve.callers` that gives this command its chat and its person. */
const NAME = 'stdio'

export const mcp: Command = async (input) => {
  const setup = setUp(input, { level: 'warn', needs: ['dataDir', 'database', 'sandbox'] })
  const { config } = setup.loaded
  const dataDir = dataDirOf(config)
  const { database } = config
  // Whether a service works on a server's database cannot be seen from here.
  const older = database !== undefined || isInUse(dataDir) ? 'refuse' : 'upgrade'
  const store = await openStore({ dataDir, database, older, logger: setup.logger })
  const sandbox = await createSandbox(config.sandbox, { logger: setup.logger })
  try {
    const workspace = readWorkspace(processEnvironment()['YIZHAN_WORKSPACE'])
    const house = await buildQuietHouse(setup, { dataDir, store, sandbox, workspace })
    const caller = callerOf(setup, house, input.tools)
    const { clock } = setup
    await house.remote.open()
    await serveStdio(caller, { desk: house.remote.desk, version: packageVersion(), clock })
    await house.remote.close()
  } finally {
    await sandbox.close()
    await store.close()
  }
}

/** The house without its doors: nothing is received, nothing is sent; the service beside it does both. */
async function buildQuietHouse(
  setup: Setup,
  place: Pick<Parameters<typeof buildHouse>[0], 'dataDir' | 'store' | 'sandbox'> & {
    readonly workspace: string | undefined
  },
): Promise<House> {
  const { loaded, clock, random } = setup
  const lock = { acquire: async () => false, release: async () => {} }
  const digest = createHash('sha256')
    .update(place.workspace ?? '')
    .digest('hex')
    .slice(0, 12)
  return buildHouse({
    ...setup,
    ...place,
    config: loaded.config,
    secrets: loaded.secrets,
    bots: configuredBots(loaded.config, { ...setup, lock }),
    owner: `stdio-${process.pid}-${random.id(6)}`,
    faults: createFaults(undefined),
    quiet: {
      // Two programs in two folders never take each other's calls.
      sessionPrefix: stdioSessionPrefix(digest),
      workspace: place.workspace,
    },
    clock,
  })
}

function readWorkspace(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined
  try {
    return realpathSync(path)
  } catch (cause) {
    throw new AppError('cli.no_workspace', `YIZHAN_WORKSPACE names ${path}, which is not there`, {
      cause,
      hint: 'Create the folder, or name another one.',
      params: { path },
    })
  }
}

function callerOf({ loaded }: Setup, house: House, tools: string | undefined): Caller {
  const configured = loaded.config.mcp.serve.callers.find((caller) => caller.name === NAME)
  const words = tools?.split(/[\s,]+/).filter((word) => word !== '') ?? configured?.tools ?? ['workstation']
  const groups = house.remote.groups()
  const unknown = unknownWords(groups, words)
  if (unknown.length > 0 || words.length === 0) {
    const params = { names: unknown.join(', ') || '-', groups: Object.keys(groups).join(', ') }
    throw new AppError('cli.no_tools', `--tools does not know: ${params.names}`, {
      params,
      hint: `Groups are: all, ${params.groups}. Or name single tools, with commas between them.`,
    })
  }
  const caller = createCallers([{ ...(configured ?? { name: NAME }), name: NAME, tools: words }]).byName(NAME)
  if (!caller) throw new Error('a caller that was just made is gone')
  return caller
}
