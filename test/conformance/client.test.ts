import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SUITE = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const CLIENT = resolve(import.meta.dirname, 'client.ts')

/** Those of the suite that are released for the protocol versions we speak; drafts and extensions are not. */
const SCENARIOS = [
  'initialize',
  'tools_call',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
]

/** Scenarios whose server never lets anybody in: the client must give up, and that is what it reports. */
const ENDS_WITHOUT_CONNECTION = ['auth/scope-retry-limit']

function run(scenario: string): Promise<string> {
  const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${CLIENT}"`
  const args = [SUITE, 'client', '--command', command, '--scenario', scenario, '--timeout', '60000']
  return new Promise((done) => {
    const cwd = mkdtempSync(join(tmpdir(), 'yizhan-suite-'))
    execFile(process.execPath, args, { cwd, env: { PATH: process.env['PATH'] } }, (_error, stdout, stderr) =>
      done(stdout + stderr),
    )
  })
}

describe('the conformance suite against our MCP client', () => {
  it.each(SCENARIOS)(
    '%s',
    async (scenario) => {
      const output = await run(scenario)
      expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/)
      if (!ENDS_WITHOUT_CONNECTION.includes(scenario)) expect(output).toContain('OVERALL: PASSED')
    },
    90_000,
  )
})
