import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox, SandboxResult } from '../../../src/protocol/sandbox.ts'
import { createSandbox, type SandboxConfig } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'

/** Limits small enough for a test to hit. */
export const TEST_LIMITS: SandboxConfig = {
  kind: 'bubblewrap',
  network: 'none',
  memoryMb: 256,
  pids: 48,
  fileMb: 16,
  user: 'nobody',
}

interface Workbench extends Disposable {
  readonly workspace: string
  readonly privateDir: string
  readonly logPath: string
  readonly statusPath: string
  run(command: string, options?: RunOptions): Promise<SandboxResult>
}

interface RunOptions {
  readonly timeoutMs?: number
  readonly outputBytes?: number
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly signal?: AbortSignal
}

/** The real sandbox; a machine without bubblewrap fails the tests, with the reason. */
export async function realSandbox(config: Partial<SandboxConfig> = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ ...TEST_LIMITS, ...config }, { logger: createCollectingLogger() })
  const { kind, reason } = sandbox.status()
  if (kind === 'unavailable') throw new Error(`these tests need a working sandbox: ${reason}`)
  return sandbox
}

/** A workspace and a private folder of their own, removed at the end. */
export function workbench(sandbox: Sandbox, parent = tmpdir()): Workbench {
  const workspace = mkdtempSync(join(parent, 'yizhan-test-ws-'))
  const privateDir = mkdtempSync(join(tmpdir(), 'yizhan-test-private-'))
  const logPath = join(privateDir, 'log')
  const statusPath = join(privateDir, 'status.json')
  return {
    workspace,
    privateDir,
    logPath,
    statusPath,
    run: (command, options = {}) =>
      sandbox.run(
        {
          command,
          cwd: options.cwd ?? workspace,
          workspace,
          env: options.env ?? {},
          timeoutMs: options.timeoutMs ?? 15_000,
          logPath,
          statusPath,
          outputBytes: options.outputBytes ?? 8_192,
        },
        options.signal ?? new AbortController().signal,
      ),
    [Symbol.dispose]: () => {
      for (const path of [workspace, privateDir]) rmSync(path, { recursive: true, force: true })
    },
  }
}
