import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const INSPECTOR = join(ROOT, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const TOKEN = 'a-token-of-some-length'

let house: FeishuHouse | undefined
afterEach(async () => {
  await house?.stop()
  house = undefined
})

/** Runs the inspector without a window and returns the JSON it prints. */
async function inspect(...args: string[]): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'yizhan-inspector-'))
  const output = await new Promise<string>((done, fail) => {
    execFile(
      process.execPath,
      [INSPECTOR, '--cli', ...args],
      { cwd: home, env: { PATH: process.env['PATH'], HOME: home } },
      (error, stdout, stderr) => (error ? fail(new Error(`${error.message}\n${stderr}`)) : done(stdout)),
    )
  })
  return JSON.parse(output)
}

const names = (listed: unknown): string[] =>
  (listed as { tools: { name: string }[] }).tools.map((tool) => tool.name)

describe('the inspector as a client', () => {
  it('over HTTP: lists the tools of its token and calls one', async () => {
    house = await openFeishuHouse({
      yaml: `mcp: { serve: { callers: [{ name: inspector, token: ${TOKEN}, tools: [workstation] }] } }`,
    })
    const server = [
      `${house.app.listening.url}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${TOKEN}`,
    ]
    expect(names(await inspect(...server, '--method', 'tools/list'))).toHaveLength(19)
    const call = ['--method', 'tools/call', '--tool-name', 'system_status']
    expect(JSON.stringify(await inspect(...server, ...call))).toContain('content')
  }, 90_000)

  it('over stdio: --tools workstation lists exactly the 19; a file of YIZHAN_WORKSPACE is read', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'yizhan-workspace-'))
    const config = join(mkdtempSync(join(tmpdir(), 'yizhan-stdio-')), 'yizhan.yaml')
    writeFileSync(join(workspace, 'note.txt'), '给检查器看的')
    writeFileSync(config, `dataDir: ${join(config, '..', 'data')}\n`)
    const main = [process.execPath, '--disable-warning=ExperimentalWarning', join(ROOT, 'src/start.js')]
    const server = ['-e', `YIZHAN_WORKSPACE=${workspace}`, '--', ...main, 'mcp', '--config', config]
    const listed = await inspect('--method', 'tools/list', ...server, '--tools', 'workstation')
    expect(names(listed)).toHaveLength(19)
    const call = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=note.txt']
    expect(JSON.stringify(await inspect(...call, ...server))).toContain('给检查器看的')
  }, 90_000)
})
