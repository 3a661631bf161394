/** A service that runs one command in the sandbox, for a test that kills it meanwhile. */
import { createSandbox } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'

const [, , workspace = '', logPath = '', statusPath = '', command = ''] = process.argv
const sandbox = await createSandbox(
  { kind: 'bubblewrap', network: 'none', memoryMb: 256, pids: 48, fileMb: 16, user: 'nobody' },
  { logger: createCollectingLogger() },
)
await sandbox.run(
  { command, cwd: workspace, workspace, env: {}, timeoutMs: 30_000, logPath, statusPath, outputBytes: 1_000 },
  new AbortController().signal,
)
