import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { MOODY, moody } from '../src/mcp/client/bench.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'
import { untilConnected } from './support/mcp-servers.ts'

let house: FeishuHouse
afterEach(() => house?.stop())

const write = (path: string, content: object | string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}

it('servers of a Claude file, a project’s .mcp.json with ${ENV}, a Codex file with lists over lines and a plugin are used without a restart, in the documented order', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-home-')))
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-project-')))
  const folders = { project: moody(), claude: moody(), codex: moody(), plugin: moody() }
  house = await openFeishuHouse({
    surroundings: { home, project, variables: { FOLDER: folders.project.folder }, configFile: undefined },
  })
  /** Asks for a call, allows it, and waits for what the server says. */
  const use = async (server: string): Promise<void> => {
    await untilConnected(house, server)
    const before = new Set(house.answers().map(({ messageId }) => messageId))
    house.ask(`调用 mcp__${server}__greet {"who":"x"}`)
    const card = await house.until(
      () => house.answers().find((one) => !before.has(one.messageId) && one.text.includes('待审批')),
      `the card of ${server}`,
    )
    expect(card.text).toContain(`“${server}”`)
    await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
    await house.until(
      () =>
        house.answers().find((one) => !before.has(one.messageId) && one.text.includes('hello from greet')),
      `the answer of ${server}`,
    )
  }

  const codexArgs = (folder: string): string => `args = [\n  "${MOODY}", # the program\n  "${folder}",\n]`
  write(
    join(home, '.codex', 'config.toml'),
    `[mcp_servers.codex]\ncommand = "node"\n${codexArgs(folders.codex.folder)}\n` +
      `[mcp_servers.twin]\ncommand = "node"\n${codexArgs(folders.codex.folder)}\n`,
  )
  await use('codex')
  const plugin = join(home, 'plugins', 'tools')
  write(join(plugin, '.mcp.json'), { helper: { command: 'node', args: [MOODY, folders.plugin.folder] } })
  write(join(home, '.claude', 'plugins', 'installed_plugins.json'), {
    ...{ version: 2, plugins: { 'tools@market': [{ scope: 'user', installPath: plugin }] } },
  })
  await use('plugin_tools_helper')
  write(join(home, '.claude.json'), {
    mcpServers: { claude: folders.claude.entry, twin: folders.claude.entry },
  })
  await use('claude')
  const entry = { command: 'node', args: [MOODY, '${FOLDER}'] }
  write(join(project, '.mcp.json'), { mcpServers: { project: entry, twin: entry } })
  await use('project')
  await use('twin')

  const list = await untilConnected(house, 'twin')
  const found = [...list.matchAll(/\*\*(\w+)\*\*[\s\S]*?\((\S+)\)/g)].map(([, name, file]) => [name, file])
  const files = [join(project, '.mcp.json'), join(home, '.claude.json'), join(home, '.codex', 'config.toml')]
  expect(found).toEqual([
    ...['project', 'twin'].map((name) => [name, files[0]]),
    ['claude', files[1]],
    ['codex', files[2]],
    ['plugin_tools_helper', join(plugin, '.mcp.json')],
  ])
  expect(folders.project.calls()).toBe(2)
}, 180_000)
