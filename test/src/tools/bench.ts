import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Todo } from '../../../src/protocol/outbound.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import type {
  AnyTool,
  BoundCall,
  DeliveryOutcome,
  ToolContext,
  ToolResult,
} from '../../../src/protocol/tool.ts'
import { builtinTools, createToolRegistry } from '../../../src/tools/index.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'

interface SentFile {
  readonly name: string
  readonly kind: string
  readonly content: string
}

/** A session with the real tools, a workspace and a private folder of its own. */
export interface ToolBench extends Disposable {
  readonly workspace: string
  readonly privateDir: string
  readonly sent: SentFile[]
  readonly todos: Todo[][]
  /** What `sendFile` answers next. */
  delivery: DeliveryOutcome
  context(callId?: string): ToolContext
  put(path: string, content: string | Buffer, mode?: number): string
  get(path: string): string
  /** Parses, binds and runs one call as the engine does; `between` happens after binding. */
  call(
    name: string,
    args: object,
    between?: (bound: BoundCall) => void,
    signal?: AbortSignal,
  ): Promise<ToolResult>
}

interface BenchOptions {
  readonly sandbox?: Sandbox
  /** Other tools than the built-in ones. */
  readonly tools?: readonly AnyTool[]
  readonly clock?: Clock
  /** Path of ripgrep; `none` takes the search of our own. */
  readonly ripgrep?: 'none'
}

/** A sandbox for tools that must never run a command. */
const NO_SANDBOX: Sandbox = {
  status: () => ({ kind: 'unavailable', reason: 'install bubblewrap', profile: 'unavailable' }),
  run: () => Promise.reject(new Error('this tool must not run commands')),
  close: () => Promise.resolve(),
}

export function toolBench(options: BenchOptions = {}): ToolBench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-test-tools-')))
  const workspace = join(root, 'ws')
  const privateDir = join(root, 'private')
  for (const path of [workspace, privateDir]) mkdirSync(path)
  const tools = options.tools ?? (options.ripgrep === 'none' ? builtinTools({}) : builtinTools())
  const registry = createToolRegistry(tools)
  let calls = 0
  const bench: ToolBench = {
    workspace,
    privateDir,
    sent: [],
    todos: [],
    delivery: { ok: true, messageId: 'om_1' },
    context: (callId = `call-${calls++}`) => ({
      sessionId: 's1',
      runId: 'r1',
      callId,
      address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
      requester: 'feishu:ou_1',
      workspace,
      privateDir,
      clock: options.clock ?? createManualClock(),
      logger: createCollectingLogger(),
      text: createTranslate('zh-CN'),
      sandbox: options.sandbox ?? NO_SANDBOX,
      sendFile: (request) => {
        bench.sent.push({
          name: request.name,
          kind: request.kind,
          content: readFileSync(request.path, 'utf8'),
        })
        return Promise.resolve(bench.delivery)
      },
      setTodos: (todos) => bench.todos.push([...todos]),
      limits: { fileBytes: 1_000_000, imageBytes: 1_000 },
    }),
    put: (path, content, mode) => {
      const full = join(workspace, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, content, mode === undefined ? {} : { mode })
      return full
    },
    get: (path) => readFileSync(join(workspace, path), 'utf8'),
    call: async (name, args, between, signal) => {
      const parsed = registry.parse({ id: 'x', name, arguments: JSON.stringify(args) })
      if (!parsed.ok) return parsed
      const ctx = bench.context()
      const bound = await registry.bind(parsed.tool, parsed.args, ctx)
      if (!bound.ok) return bound
      between?.(bound.bound)
      return await parsed.tool.run(parsed.args, ctx, signal ?? new AbortController().signal, bound.bound)
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
  return bench
}

/** Text of a result that must be good. */
export function textOf(result: ToolResult): string {
  if (!result.ok) throw new Error(`${result.error.type}: ${result.error.message}`)
  return result.text
}

/** Type of a result that must be a failure. */
export function errorOf(result: ToolResult): { type: string; message: string; hint: string } {
  if (result.ok) throw new Error(`expected a failure, got: ${result.text}`)
  return result.error
}

/** Names below a folder that look like leftovers of a write. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.new'))
}
