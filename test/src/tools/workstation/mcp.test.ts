import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { WORKSTATION } from '../../../support/tool-names.ts'

/** What a person writes into the configuration of an MCP client. */
function clientConfiguration(workspace: string, ...tools: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-test-mcp-'))
  writeFileSync(join(folder, 'yizhan.yaml'), `dataDir: ${join(folder, 'data')}\nmcp: { discover: false }\n`)
  return {
    mcpServers: {
      yizhan: {
        command: process.execPath,
        args: [resolve('src/start.js'), 'mcp', '--config', join(folder, 'yizhan.yaml'), ...tools],
        env: { YIZHAN_WORKSPACE: workspace, PATH: '/usr/bin:/bin' },
      },
    },
  }
}

async function connect(configuration: ReturnType<typeof clientConfiguration>) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ ...configuration.mcpServers.yizhan, stderr: 'ignore' }))
  return { client, [Symbol.asyncDispose]: () => client.close() }
}

const textSchema = z.looseObject({ content: z.array(z.looseObject({ text: z.string().optional() })) })
const textOf = (result: unknown): string =>
  textSchema
    .parse(result)
    .content.map((part) => part.text ?? '')
    .join('\n')

describe('an MCP client that starts us', () => {
  it('article 28: over standard input and output it finds the nineteen under their workstation names', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'yizhan-test-ws-'))
    await using server = await connect(clientConfiguration(workspace, '--tools', 'workstation'))
    const { tools } = await server.client.listTools()
    expect(tools.map((tool) => tool.name).sort()).toEqual(Object.values(WORKSTATION).flat().sort())
  }, 60_000)

  it('article 29: command, --tools and the workspace of its configuration are what it gets', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'yizhan-test-ws-'))
    writeFileSync(join(workspace, 'note.txt'), 'one\ntwo\n')
    const wanted = 'list_directory,read_file,text_stats'
    await using server = await connect(clientConfiguration(workspace, '--tools', wanted))
    const { tools } = await server.client.listTools()
    expect(tools.map((tool) => tool.name).sort()).toEqual(wanted.split(','))
    const listed = await server.client.callTool({ name: 'list_directory', arguments: {} })
    expect(textOf(listed)).toContain('note.txt  8 bytes')
    const outside = await server.client.callTool({ name: 'read_file', arguments: { path: '/etc/passwd' } })
    expect(outside).toMatchObject({ isError: true })
    expect(textOf(outside)).not.toContain('root:')
    expect(readFileSync(join(workspace, 'note.txt'), 'utf8')).toBe('one\ntwo\n')
  }, 60_000)
})
