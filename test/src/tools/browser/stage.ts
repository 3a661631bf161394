/** A real Chromium, a site on this machine that is allowed, and a neighbour of it that is not. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserLimits, type Browsers, createBrowsers } from '../../../../src/browser/browsers.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { Clock } from '../../../../src/protocol/ports.ts'
import type { ToolContext, ToolResult } from '../../../../src/protocol/tool.ts'
import { createCells } from '../../../../src/sandbox/cell.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import { createBrowserTools } from '../../../../src/tools/browser/index.ts'
import { createToolRegistry } from '../../../../src/tools/registry.ts'
import { createCollectingLogger } from '../../../support/logger.ts'

export interface Site {
  readonly port: number
  readonly url: string
  /** Connections that reached it, requests and bare sockets alike. */
  connections(): number
  close(): Promise<void>
}

export interface BrowserStage {
  readonly browsers: Browsers
  readonly clock: Clock
  readonly root: string
  readonly sent: { readonly name: string; readonly kind: string; readonly bytes: Buffer }[]
  /** Number of the conversation, as the session row has it. */
  epoch: number
  context(sessionId?: string): ToolContext
  call(tool: string, args: object, sessionId?: string): Promise<ToolResult>
  /** Whether the call asks each time in a tainted session. */
  carriesOut(tool: string, args: object): Promise<boolean>
  /** What people are told that the call acts on. */
  targetOf(tool: string, args: object): Promise<string | undefined>
  stop(): Promise<void>
}

export async function openSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Site> {
  let connections = 0
  const server = createServer(answer)
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

export function openBrowserStage(options: {
  allow: readonly string[]
  limits?: Partial<BrowserLimits>
}): BrowserStage {
  const root = mkdtempSync(join(tmpdir(), 'yizhan-browser-'))
  const clock = createSystemClock()
  const browsers = createBrowsers({
    rule: { allow: options.allow },
    limits: { max: 2, idleMs: 600_000, keepMs: 86_400_000, ...options.limits },
    cells: createCells('nobody', clock),
    epoch: async () => stage.epoch,
    clock,
    logger: createCollectingLogger(),
    privateRoot: root,
  })
  const registry = createToolRegistry(createBrowserTools(browsers))
  let calls = 0
  const bind = async (name: string, args: object, ctx: ToolContext) => {
    const parsed = registry.parse({ id: 'x', name, arguments: JSON.stringify(args) })
    if (!parsed.ok) return parsed
    const bound = await registry.bind(parsed.tool, parsed.args, ctx)
    return bound.ok ? { ...parsed, bound: bound.bound } : bound
  }
  const stage: BrowserStage = {
    browsers,
    clock,
    root,
    sent: [],
    epoch: 0,
    context: (sessionId = 's1') => {
      const privateDir = join(root, sessionId)
      mkdirSync(privateDir, { recursive: true, mode: 0o700 })
      return {
        sessionId,
        runId: 'r1',
        callId: `call-${calls++}`,
        address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
        requester: 'feishu:ou_1',
        workspace: privateDir,
        privateDir,
        clock,
        logger: createCollectingLogger(),
        text: createTranslate('zh-CN'),
        sandbox: {
          status: () => ({ kind: 'unavailable', reason: '', profile: '' }),
          run: () => Promise.reject(new Error('no commands here')),
          close: () => Promise.resolve(),
        },
        sendFile: async ({ path, name, kind }) => {
          stage.sent.push({ name, kind, bytes: readFileSync(path) })
          return { ok: true, messageId: 'om_1' }
        },
        setTodos: () => undefined,
        limits: { fileBytes: 10_000_000, imageBytes: 10_000_000 },
      }
    },
    call: async (name, args, sessionId) => {
      const ctx = stage.context(sessionId)
      const ready = await bind(name, args, ctx)
      if (!ready.ok) return ready
      return ready.tool.run(ready.args, ctx, new AbortController().signal, ready.bound)
    },
    carriesOut: async (name, args) => {
      const ready = await bind(name, args, stage.context())
      if (!ready.ok) throw new Error(ready.error.message)
      return ready.bound.carriesOut === true
    },
    targetOf: async (name, args) => {
      const ready = await bind(name, args, stage.context())
      return ready.ok ? ready.bound.target : undefined
    },
    stop: async () => {
      await browsers.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return stage
}

/** Ref of the first line of a snapshot that holds the words. */
export function refOf(snapshot: string, words: string): string {
  const line = snapshot.split('\n').find((each) => each.includes(words))
  const ref = /\[ref=((?:f\d+)?e\d+)\]/.exec(line ?? '')?.[1]
  if (ref === undefined) throw new Error(`no element "${words}" in\n${snapshot}`)
  return ref
}
