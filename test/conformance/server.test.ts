import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from '../e2e/support/feishu-house.ts'
import { openTokenProxy, type TokenProxy } from './token-proxy.ts'

const SUITE = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const TOKEN = 'a-token-of-some-length'

/** Those that need no tool, prompt or resource with a name that the suite prescribes. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'logging-set-level',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
]

let house: FeishuHouse
let proxy: TokenProxy

beforeAll(async () => {
  house = await openFeishuHouse({
    yaml: `mcp: { serve: { callers: [{ name: suite, token: ${TOKEN}, tools: [all] }] } }`,
  })
  proxy = await openTokenProxy(house.app.listening.url, TOKEN)
})
afterAll(async () => {
  await proxy?.close()
  await house?.stop()
})

function run(scenario: string): Promise<string> {
  const args = [SUITE, 'server', '--url', proxy.url, '--scenario', scenario]
  return new Promise((done) => {
    const cwd = mkdtempSync(join(tmpdir(), 'yizhan-suite-'))
    execFile(process.execPath, args, { cwd, env: { PATH: process.env['PATH'] } }, (_error, stdout, stderr) =>
      done(stdout + stderr),
    )
  })
}

describe('the conformance suite against /mcp', () => {
  it.each(SCENARIOS)(
    '%s',
    async (scenario) => {
      expect(await run(scenario)).toMatch(/Passed: (\d+)\/\1, 0 failed/)
    },
    60_000,
  )
})
