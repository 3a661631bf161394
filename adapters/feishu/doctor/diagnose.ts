/**
 * Live checks of an app's settings, in the order in which an administrator makes them. Every finding
 * says what to change and links the console page. Nothing is sent to a chat.
 */
import type { Diagnosis } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { consoleLink } from '../config.ts'
import { credentials, events, published, scopes } from './app.ts'
import { createApplicationReader } from './application.ts'
import type { Check, CheckDeps, DoctorDeps, Finding } from './check.ts'
import { callbacks, connection, groups, streaming } from './wire.ts'

const CHECKS: readonly Check[] = [
  credentials,
  published,
  scopes,
  events,
  connection,
  streaming,
  groups,
  callbacks,
]

/** Runs all checks. A wrong secret makes the rest meaningless, so it is then the only finding. */
export async function diagnose(given: DoctorDeps, signal: AbortSignal): Promise<Diagnosis[]> {
  const deps: CheckDeps = { ...given, application: createApplicationReader(given.api) }
  const findings: Diagnosis[] = []
  for (const check of CHECKS) {
    const found = await perform(check, deps, signal)
    findings.push(found)
    if (check === credentials && !found.ok) break
  }
  return findings
}

async function perform(check: Check, deps: CheckDeps, signal: AbortSignal): Promise<Diagnosis> {
  const finding = await check.run(deps, signal).catch((error: unknown): Finding => {
    if (signal.aborted || !(error instanceof AppError)) throw error
    return { ok: false, detail: error.message, fix: error.hint, error }
  })
  const pageOf = ({ page = check.page }: Finding): string => consoleLink(deps.api.config, page)
  return {
    check: `feishu: ${deps.text(check.name)}`,
    ok: finding.ok,
    ...(finding.unseen ? { unseen: true as const } : {}),
    detail: finding.detail,
    ...(finding.fix ? { fix: finding.fix } : {}),
    ...(finding.error ? { error: finding.error } : {}),
    ...(finding.ok || isOfNetwork(finding) ? {} : { link: pageOf(finding) }),
  }
}

/** No page of the console mends it. */
function isOfNetwork({ error }: Finding): boolean {
  return error?.code === 'feishu.unreachable'
}
