import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDiscovery, type Discovery } from '../../../../src/mcp/client/discovery.ts'
import { readEntry } from '../../../../src/mcp/client/entry.ts'

let home: string
let project: string
let discovery: Discovery

const write = (path: string, content: object | string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}
const names = async (): Promise<string[]> => (await discovery.look()).entries.map((entry) => entry.name)
const entry = async (name: string) => (await discovery.look()).entries.find((one) => one.name === name)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'yizhan-home-'))
  project = mkdtempSync(join(tmpdir(), 'yizhan-project-'))
  discovery = createDiscovery({
    configured: [
      readEntry('own', { command: 'own' }, { origin: 'yizhan.yaml', network: 'none', variables: undefined }),
    ],
    places: { home, project, variables: { NOTES_TOKEN: 'secret-value', HOME: home } },
    network: 'none',
  })
})

describe('where MCP servers come from', () => {
  it('every source is found without a restart, as soon as its file is there', async () => {
    expect(await names()).toEqual(['own'])
    write(join(project, '.mcp.json'), { mcpServers: { project: { command: 'a' } } })
    expect(await names()).toEqual(['own', 'project'])
    write(join(home, '.claude.json'), {
      mcpServers: { user: { command: 'b' } },
      projects: {
        [project]: { mcpServers: { here: { command: 'c' } } },
        '/elsewhere': { mcpServers: { no: { command: 'd' } } },
      },
    })
    expect(await names()).toEqual(['own', 'project', 'here', 'user'])
    write(join(home, '.codex', 'config.toml'), '[mcp_servers.codex]\ncommand = "e"\n')
    expect(await names()).toEqual(['own', 'project', 'here', 'user', 'codex'])
    const plugin = join(home, 'plugins', 'git-helper')
    write(join(plugin, '.mcp.json'), { helper: { command: '${CLAUDE_PLUGIN_ROOT}/bin/run' } })
    write(join(home, '.claude', 'plugins', 'installed_plugins.json'), {
      version: 2,
      plugins: { 'git-helper@market': [{ scope: 'user', installPath: plugin }] },
    })
    expect(await names()).toEqual(['own', 'project', 'here', 'user', 'codex', 'plugin_git-helper_helper'])
    expect((await entry('plugin_git-helper_helper'))?.target).toMatchObject({ command: `${plugin}/bin/run` })
    write(join(home, '.claude', 'settings.json'), { enabledPlugins: { 'git-helper@market': false } })
    expect(await names()).not.toContain('plugin_git-helper_helper')
    rmSync(join(project, '.mcp.json'))
    expect(await names()).toEqual(['own', 'here', 'user', 'codex'])
  })

  it('the first source that has a name wins', async () => {
    const servers = (command: string) => ({ own: { command }, twin: { command } })
    write(
      join(home, '.codex', 'config.toml'),
      '[mcp_servers.twin]\ncommand = "codex"\n[mcp_servers.own]\ncommand = "codex"\n',
    )
    expect((await entry('twin'))?.target).toMatchObject({ command: 'codex' })
    write(join(home, '.claude.json'), { mcpServers: servers('claude') })
    expect((await entry('twin'))?.target).toMatchObject({ command: 'claude' })
    write(join(project, '.mcp.json'), { mcpServers: servers('project') })
    expect((await entry('twin'))?.target).toMatchObject({ command: 'project' })
    expect((await entry('own'))?.target).toMatchObject({ command: 'own' })
  })

  it('${NAME} and ${NAME:-default} are filled in; a missing one is named, and the list shows no value', async () => {
    write(join(project, '.mcp.json'), {
      mcpServers: {
        wiki: {
          type: 'http',
          url: 'https://${WIKI_HOST:-wiki.example.com}/mcp',
          headers: { Authorization: 'Bearer ${NOTES_TOKEN}' },
        },
        broken: { command: 'node', args: ['${NO_SUCH_THING}'] },
      },
    })
    const wiki = await entry('wiki')
    expect(wiki?.target).toEqual({
      kind: 'http',
      url: 'https://wiki.example.com/mcp',
      headers: { Authorization: 'Bearer secret-value' },
    })
    expect(wiki?.shown).toBe('https://${WIKI_HOST:-wiki.example.com}/mcp')
    expect(await entry('broken')).toMatchObject({
      problem: 'the environment variable NO_SUCH_THING is not set',
    })
  })

  it('a Codex file with several lines, quotes, comments, headers and switches', async () => {
    write(
      join(home, '.codex', 'config.toml'),
      `model = "x"
[mcp_servers."my docs"] # quoted
command = "node" # the program
args = [
  "server.js", # one
  "--flag",
]
[mcp_servers."my docs".env]
LANG = "zh"
[mcp_servers.off]
command = "x"
enabled = false
[mcp_servers.remote]
url = "https://r.example.com/mcp"
bearer_token_env_var = "NOTES_TOKEN"
http_headers = { "X-Team" = "ops" }
`,
    )
    expect((await entry('my docs'))?.target).toMatchObject({
      command: 'node',
      args: ['server.js', '--flag'],
      env: { LANG: 'zh' },
    })
    expect(await entry('off')).toMatchObject({ disabled: true })
    expect((await entry('remote'))?.target).toMatchObject({
      headers: { 'X-Team': 'ops', Authorization: 'Bearer secret-value' },
    })
  })

  it('a file that cannot be read is named and hides no other; nothing changed gives the same object', async () => {
    write(join(project, '.mcp.json'), '{ "mcpServers": ')
    write(join(home, '.claude.json'), { mcpServers: { user: { command: 'b' }, odd: { args: 'x' } } })
    const found = await discovery.look()
    expect(found.entries.map((one) => one.name)).toEqual(['own', 'user', 'odd'])
    expect(found.problems).toEqual([
      { file: join(project, '.mcp.json'), problem: expect.stringContaining('JSON') },
    ])
    expect(await discovery.look()).toBe(found)
  })

  it('S7, I8: without a project folder no project file is looked at', async () => {
    write(join(project, '.mcp.json'), { mcpServers: { evil: { command: 'sh' } } })
    const elsewhere = createDiscovery({
      configured: [],
      places: { home: undefined, project: undefined, variables: {} },
      network: 'none',
    })
    expect((await elsewhere.look()).entries).toEqual([])
  })
})
