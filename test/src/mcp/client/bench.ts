/** MCP servers with the real sandbox, a real store and time that passes by itself, for tests. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createDiscovery } from '../../../../src/mcp/client/discovery.ts'
import { readEntry } from '../../../../src/mcp/client/entry.ts'
import { createLogins } from '../../../../src/mcp/client/logins.ts'
import { createMcpServers, type McpServers, type ServerView } from '../../../../src/mcp/client/servers.ts'
import { createWires } from '../../../../src/mcp/client/wires.ts'
import type { Clock } from '../../../../src/protocol/ports.ts'
import type { AnyTool, ToolContext, ToolResult } from '../../../../src/protocol/tool.ts'
import { createSandbox } from '../../../../src/sandbox/index.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import { createSystemRandom } from '../../../../src/system/random.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'
import { TEST_LIMITS } from '../../sandbox/real-sandbox.ts'

export interface Bench {
  readonly servers: McpServers
  readonly folder: string
  readonly withdrawn: string[]
  readonly logger: ReturnType<typeof createCollectingLogger>
  view(name: string): ServerView
  tool(name: string): AnyTool
  call(name: string, args: object, signal?: AbortSignal): Promise<ToolResult>
  /** Resolves when `probe` holds; looked at every 20 ms, for things that other processes do. */
  until(probe: () => boolean, what: string): Promise<void>
  /** Another service on the same data. */
  again(): Promise<Bench>
  stop(): Promise<void>
}

export const MODULES = resolve(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol')
export const MOODY = resolve(import.meta.dirname, 'moody-server.ts')

export async function openBench(
  entries: Readonly<Record<string, object>>,
  options: { readonly folder?: string; readonly dataDir?: string; readonly clock?: Clock } = {},
): Promise<Bench> {
  const clock = options.clock ?? createSystemClock()
  const random = createSystemRandom()
  const logger = createCollectingLogger()
  const folder = options.folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-mcp-')))
  const store = await openTestStore(options.dataDir)
  const sandbox = await createSandbox({ ...TEST_LIMITS, memoryMb: 1024, fileMb: 64 }, { logger })
  const logins = createLogins({ baseUrl: () => 'http://127.0.0.1:1', clock })
  const withdrawn: string[] = []
  const servers = createMcpServers({
    ...{ store, clock, random, logger },
    discovery: createDiscovery({
      configured: Object.entries(entries).map(([name, value]) =>
        readEntry(name, value, { origin: 'yizhan.yaml', network: 'none', variables: undefined }),
      ),
      places: { home: undefined, project: undefined, variables: {} },
      network: 'none',
    }),
    open: createWires({
      ...{ store, clock, random, logins },
      launcher: sandbox,
      places: {
        homes: join(store.dataDir, 'mcp'),
        secret: [join(store.dataDir, 'yizhan.db')],
        node: process.execPath,
      },
      publicFetch: () => Promise.reject(new Error('no other address is reached in this test')),
    }),
    onWithdrawn: (tools) => withdrawn.push(...tools),
  })
  await servers.start()
  const tool = (name: string): AnyTool => {
    const found = servers.tools().find((one) => one.name === name)
    if (!found) throw new Error(`no tool ${name}; there are ${servers.tools().map((one) => one.name)}`)
    return found
  }
  const stop = async (): Promise<void> => {
    await servers.stop()
    await sandbox.close()
    await store.close()
  }
  return {
    servers,
    folder,
    withdrawn,
    logger,
    tool,
    view: (name) => {
      const found = servers.list().find((one) => one.name === name)
      if (!found) throw new Error(`no server ${name}`)
      return found
    },
    call: async (name, args, signal = AbortSignal.timeout(30_000)) => {
      const found = tool(name)
      // The room's tools look at nothing of the session but its workspace.
      const ctx = { workspace: folder, callId: 'call-1' } as ToolContext
      return found.run(args, ctx, signal, (await found.bind?.(args, ctx)) ?? { tool: name, args })
    },
    until: async (probe, what) => {
      for (let tries = 0; tries < 1_000; tries++) {
        if (probe()) return
        await pause(20)
      }
      throw new Error(`waited for ${what}; ${JSON.stringify(servers.list())}`)
    },
    again: async () => {
      await stop()
      return openBench(entries, { ...options, folder, dataDir: store.dataDir })
    },
    stop: async () => {
      await stop()
      rmSync(store.dataDir, { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Entry and controls of the moody server. */
export function moody(folder = mkdtempSync(join(tmpdir(), 'yizhan-moody-'))) {
  const set = (mood: object): void => writeFileSync(join(folder, 'mood.json'), JSON.stringify(mood))
  const count = (file: string): number =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').length : 0
  set({})
  // The sandbox's user must be able to write there, as an operator would arrange it.
  chmodSync(folder, 0o777)
  return {
    folder,
    set,
    entry: { command: 'node', args: [MOODY, folder] },
    starts: () => count('starts'),
    calls: () => count('calls'),
    cancelled: () => count('cancelled'),
    announce: (on: boolean): void =>
      on ? writeFileSync(join(folder, 'announce'), '') : rmSync(join(folder, 'announce'), { force: true }),
  }
}
