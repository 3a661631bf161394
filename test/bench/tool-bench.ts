/** What the tool figures are measured on: a tree like sources, a long file, and calls as the engine makes them. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createTranslate } from '../../src/locale/index.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import type { AnyTool, ToolContext, ToolResult } from '../../src/protocol/tool.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createToolRegistry } from '../../src/tools/index.ts'
import { createCollectingLogger } from '../support/logger.ts'

export interface Place extends Disposable {
  readonly root: string
  readonly workspace: string
  context(callId: string): ToolContext
}

/** Commands run in the real sandbox elsewhere; here only its broker matters. */
export const OPEN_SANDBOX = {
  kind: 'none',
  network: 'none',
  memoryMb: 1_024,
  pids: 256,
  fileMb: 1_024,
  user: 'nobody',
} as const

/** A workspace of its own, removed at the end. */
export function openPlace(sandbox: Sandbox): Place {
  return placeAt(realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-bench-'))), sandbox)
}

/** A place in the folder `root`; the parts that are not there are made. */
export function placeAt(root: string, sandbox: Sandbox): Place {
  const [workspace, privateDir] = [join(root, 'ws'), join(root, 'private')]
  for (const path of [workspace, privateDir]) mkdirSync(path, { recursive: true })
  return {
    root,
    workspace,
    context: (callId) => ({
      ...{ sessionId: 's', runId: 'r', callId, requester: 'feishu:ou_1', workspace, privateDir, sandbox },
      address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
      clock: createSystemClock(),
      logger: createCollectingLogger(),
      text: createTranslate('en'),
      sendFile: async () => ({ ok: true, messageId: 'm' }),
      setTodos: () => {},
      limits: { fileBytes: 1, imageBytes: 1 },
    }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Parses, binds and runs one call; rejects when it fails. */
export async function callTool(
  tools: readonly AnyTool[],
  ctx: ToolContext,
  name: string,
  args: object,
): Promise<ToolResult> {
  const registry = createToolRegistry(tools)
  const parsed = registry.parse({ id: 'x', name, arguments: JSON.stringify(args) })
  if (!parsed.ok) throw new Error(parsed.error.message)
  const bind = await registry.bind(parsed.tool, parsed.args, ctx)
  if (!bind.ok) throw new Error(bind.error.message)
  const result = await parsed.tool.run(parsed.args, ctx, new AbortController().signal, bind.bound)
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`)
  return result
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Runs `work` while watching the event loop; the 99th percentile of its delay, milliseconds. */
export async function delayDuring(work: () => Promise<unknown>): Promise<number> {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  await work()
  histogram.disable()
  return histogram.percentile(99) / 1e6
}

const WORDS =
  'const function return await import class if else for while error value request response config'.split(' ')

/** About 4 KB a file; one in two hundred holds the needle. */
export function makeTree(folder: string, files: number): void {
  let seed = 12_345
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed / 0x7fffffff
  }
  for (let i = 0; i < files; i++) {
    const parent = join(folder, `pkg${i % 50}/src/mod${Math.floor(i / 50) % 40}`)
    if (!existsSync(parent)) mkdirSync(parent, { recursive: true })
    const lines = Array.from({ length: 80 }, () =>
      Array.from({ length: 6 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' '),
    )
    if (i % 200 === 0) lines.push(`export const needle_${i} = processPayment(${i})`)
    writeFileSync(join(parent, `file${i}.${['ts', 'js', 'json', 'md', 'py'][i % 5]}`), lines.join('\n'))
  }
}

/** Makes a file longer by this many bytes, in lines of about ninety. */
export function growLongFile(path: string, bytes: number): void {
  const file = openSync(path, 'a')
  let line = 0
  for (let written = 0; written < bytes; ) {
    const part = Array.from(
      { length: 5_000 },
      () => `line ${line++} lorem ipsum dolor sit amet 请检查 lorem ipsum dolor sit amet 请检查\n`,
    )
    written += writeSync(file, part.join(''))
  }
  closeSync(file)
}

/** Milliseconds of a program from start to end, its output thrown away. */
export function programMs(file: string, args: readonly string[], cwd: string): Promise<number> {
  return timed(() => execFileSync(file, args, { cwd, stdio: ['ignore', 'ignore', 'ignore'] }))
}
