import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { audit } from '../../../src/cli/audit.ts'
import { policy } from '../../../src/cli/policy.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { openStore } from '../../../src/store/store.ts'
import { runDoctor } from '../../e2e/support/doctor-process.ts'
import { createCollectingLogger } from '../../support/logger.ts'

/** Every kind of value that a secret may stand in, with no variable set. */
const yaml = (dataDir: string): string => `
dataDir: ${dataDir}
locale: en
server: { port: 0, publicUrl: "\${NOT_SET_URL}" }
models:
  default: main
  profiles:
    main: { protocol: openai, baseUrl: "\${NOT_SET_BASE}", apiKey: "\${NOT_SET_KEY}", model: m }
bots:
  - { id: ops, platform: feishu, appId: cli_0123456789abcdef, appSecret: "\${NOT_SET_SECRET}" }
  - { id: cb, platform: wecom, aibot: { token: "\${NOT_SET_TOKEN}", encodingAesKey: "\${NOT_SET_AES}" } }
mcp: { serve: { callers: [{ name: laptop, token: "\${T}" }] } }
access: { admins: [feishu:ou_1] }
`

const text = createTranslate('en')

describe('without the variables that yizhan.yaml names', () => {
  let folder: string
  let configFile: string
  let printed: string
  const input = (args: string[] = []) => ({
    args,
    configFile,
    role: undefined,
    tools: undefined,
    locale: 'en' as const,
    text,
  })

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'yizhan-unset-'))
    configFile = join(folder, 'yizhan.yaml')
    writeFileSync(configFile, yaml(join(folder, 'data')))
    printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed += String(chunk)
      return true
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('policy says what the rules say', async () => {
    await policy(input(['git status']))
    expect(printed).toMatch(/^ask /)
  })

  it('policy says it in the reader’s language', async () => {
    await policy({ ...input(['git status']), locale: 'zh-CN', text: createTranslate('zh-CN') })
    expect(printed.split('\n')[0]).toBe('需要审批（依据：默认规则；写法：简单命令，可以逐词核对）')
  })

  it('audit verifies the chain', async () => {
    const store = await openStore({
      dataDir: join(folder, 'data'),
      database: undefined,
      logger: createCollectingLogger(),
    })
    await store.close()
    await audit(input())
    expect(printed).toContain('0 rows, chain intact')
  })

  it('audit names the one variable that it does need: the database’s', async () => {
    writeFileSync(configFile, `${yaml(join(folder, 'data'))}database: "\${NOT_SET_DB}"\n`)
    await expect(audit(input())).rejects.toMatchObject({
      code: 'config.invalid',
      problems: [
        { message: { key: 'config.problem.unset', params: { name: 'NOT_SET_DB', where: 'database' } } },
      ],
    })
  })

  it('the MCP line lists its tools and reads a file', { timeout: 60_000 }, async () => {
    const client = new Client({ name: 'test', version: '1' })
    const args = ['src/start.js', 'mcp', '--config', configFile]
    const env = { YIZHAN_WORKSPACE: folder, PATH: '/usr/bin:/bin' }
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
    try {
      expect((await client.listTools()).tools).toHaveLength(19)
      const read = await client.callTool({ name: 'read_file', arguments: { path: 'yizhan.yaml' } })
      expect(JSON.stringify(read)).toContain('NOT_SET_KEY')
    } finally {
      await client.close()
    }
  })

  it('the doctor names each of them, and looks at all else', { timeout: 60_000 }, async () => {
    const report = await runDoctor(configFile)
    const finding = report.finding('configuration')
    for (const name of ['URL', 'BASE', 'KEY', 'SECRET', 'TOKEN', 'AES'])
      expect(finding).toContain(`\${NOT_SET_${name}}`)
    expect(finding).toContain('${T} at token of mcp.serve.callers, item 1 (laptop) is not set')
    expect(report.finding('model:main')).toMatch(/^\?.*not checked/)
    expect(report.finding('ops:settings')).toMatch(/^\?.*not checked/)
    expect(report.finding('admins')).toMatch(/^✓/)
    expect(report.finding('data')).toMatch(/^✓/)
    expect(report.code).toBe(1)
  })
})
