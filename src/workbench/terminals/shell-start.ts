/** Starts the shell of a terminal in a session's workspace, if this machine can. */
import { findProgram } from '../../sandbox/index.ts'
import { prepareFolders } from '../../session/workspace.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { refusal } from '../errors.ts'
import { openShell, type Shell } from './shell.ts'

export type { Shell } from './shell.ts'

/** Real paths: the workspace, and the folder in it that the shell starts in. */
export interface Place {
  readonly workspace: string
  readonly folder: string
}

/** Rejects with `workbench.no_sandbox`, `workbench.no_script` or `sandbox.unavailable`. */
export async function startShell(deps: WorkbenchDeps, sessionId: string, place: Place): Promise<Shell> {
  const { kind, reason } = deps.sandbox.status()
  if (kind === 'unavailable') throw refusal('no_sandbox', 'No terminal can run here.', reason)
  const program = await findProgram('script')
  if (!program)
    throw refusal('no_script', 'The program "script" is missing.', 'Install it: apt-get install bsdutils')
  const { workspace } = place
  const { privateDir } = prepareFolders(deps.dataDir, sessionId)
  // A command first: it gives the workspace's files to the sandbox's user.
  await deps.sandbox.run(
    {
      ...{ command: 'true', cwd: workspace, workspace, env: {}, timeoutMs: 30_000, outputBytes: 1_024 },
      logPath: '/dev/null',
      statusPath: `${privateDir}/terminal.json`,
    },
    AbortSignal.timeout(40_000),
  )
  const env = deps.settings.networkEnvironment()
  return openShell(deps.sandbox, deps.clock, { program, ...place, network: deps.network, env })
}
