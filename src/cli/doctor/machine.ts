/** What the machine must have, whatever the configuration says. */
import { existsSync } from 'node:fs'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Logger } from '../../protocol/ports.ts'
import { createSandbox, sandboxBreaches } from '../../sandbox/index.ts'
import type { SandboxConfig } from '../../sandbox/sandbox.ts'

export function checkNode(): Diagnosis {
  return {
    check: 'node',
    ok: Number(process.versions.node.split('.')[0]) >= 24,
    detail: process.version,
    fix: 'Run through npm (npm start), which uses the project’s own Node.',
  }
}

export function checkPages(): Diagnosis {
  const ok = existsSync(new URL('../../console/dist/index.html', import.meta.url))
  return { check: 'pages', ok, detail: ok ? 'built' : 'the web pages are not built', fix: 'npm run build' }
}

/**
 * Starts the sandbox and tries from inside everything that it must refuse.
 * @param secretPaths files of the service that no command may read
 * @param path where programs are looked for; default: the system's folders
 */
export async function checkSandbox(
  config: SandboxConfig,
  logger: Logger,
  secretPaths: readonly string[],
  path?: string,
): Promise<Diagnosis> {
  const sandbox = await createSandbox(config, { logger, ...(path === undefined ? {} : { path }) })
  try {
    const { kind, reason, profile } = sandbox.status()
    if (kind === 'unavailable') {
      const missing = reason.includes('bwrap')
      return {
        check: 'sandbox',
        ok: false,
        detail: reason,
        fix: missing
          ? 'Install it (Debian: apt-get install -y bubblewrap), then start again.'
          : 'Correct the sandbox section of yizhan.yaml, then start again.',
        ...(missing ? { link: 'https://github.com/containers/bubblewrap#installation' } : {}),
      }
    }
    if (kind === 'none') {
      return {
        check: 'sandbox',
        ok: false,
        detail: 'sandbox.kind is none: commands run with all rights of this service',
        fix: 'Take sandbox.kind out of yizhan.yaml, unless this whole machine may be lost.',
      }
    }
    const open = await sandboxBreaches(sandbox, secretPaths)
    if (open.length === 0) return { check: 'sandbox', ok: true, detail: profile }
    return {
      check: 'sandbox',
      ok: false,
      detail: `it starts, but does not refuse: ${open.join(', ')}`,
      fix: 'Run the service as a normal user with a current kernel and bubblewrap; report the list above.',
    }
  } finally {
    await sandbox.close()
  }
}
