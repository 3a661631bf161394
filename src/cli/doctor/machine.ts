/** What the machine must have, whatever the configuration says. */
import { existsSync } from 'node:fs'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Logger, Translate } from '../../protocol/ports.ts'
import { createSandbox, sandboxBreaches } from '../../sandbox/index.ts'
import type { SandboxConfig } from '../../sandbox/sandbox.ts'

export function checkNode(text: Translate): Diagnosis {
  return {
    check: 'node',
    ok: Number(process.versions.node.split('.')[0]) >= 24,
    detail: process.version,
    fix: text('doctor.node.fix'),
  }
}

export function checkPages(text: Translate): Diagnosis {
  const ok = existsSync(new URL('../../console/dist/index.html', import.meta.url))
  const detail = text(ok ? 'doctor.pages.built' : 'doctor.pages.missing')
  return { check: 'pages', ok, detail, fix: 'npm run build' }
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
  text: Translate,
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
        fix: missing ? text('doctor.sandbox.install') : text('doctor.sandbox.section'),
        ...(missing ? { link: 'https://github.com/containers/bubblewrap#installation' } : {}),
      }
    }
    if (kind === 'none') {
      return {
        check: 'sandbox',
        ok: false,
        detail: text('doctor.sandbox.none'),
        fix: text('doctor.sandbox.none.fix'),
      }
    }
    const open = await sandboxBreaches(sandbox, secretPaths)
    if (open.length === 0) return { check: 'sandbox', ok: true, detail: profile }
    return {
      check: 'sandbox',
      ok: false,
      detail: text('doctor.sandbox.open', { open: open.join(', ') }),
      fix: text('doctor.sandbox.open.fix'),
    }
  } finally {
    await sandbox.close()
  }
}
