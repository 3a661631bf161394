import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ProgramTarget } from '../../../../src/mcp/client/entry.ts'
import { prepareProgram } from '../../../../src/mcp/client/program.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-programs-')))
const at = (...parts: string[]): string => join(root, ...parts)
const places = {
  homes: at('data', 'mcp'),
  secret: [at('data'), at('project', 'yizhan.yaml')],
  node: process.execPath,
}
const target = (command: string, ...args: string[]): ProgramTarget => ({
  kind: 'program',
  command,
  args,
  env: { TOKEN: 'x' },
  cwd: undefined,
  network: 'none',
})
const prepare = (command: string, ...args: string[]) =>
  prepareProgram('one', target(command, ...args), places)

beforeAll(() => {
  for (const path of ['data/mcp', 'project/tools', 'docs', 'lib/node_modules/pkg/dist'])
    mkdirSync(at(path), { recursive: true })
  for (const path of [
    'project/package.json',
    'project/yizhan.yaml',
    'project/tools/server.js',
    'lib/node_modules/pkg/dist/index.js',
  ])
    writeFileSync(at(path), '')
})

describe('what a server program gets to see', () => {
  it('its package to read, the folders it names to change, and nothing of the environment', async () => {
    const program = await prepare('node', at('lib/node_modules/pkg/dist/index.js'), at('docs'))
    expect(program.argv[0]).toBe(process.execPath)
    expect(program.readable).toContain(at('lib/node_modules'))
    expect(program.writable).toEqual([at('docs')])
    expect(
      Object.keys(program.env)
        .filter((name) => !name.startsWith('GIT_CONFIG_'))
        .sort(),
    ).toEqual(['HOME', 'LANG', 'PATH', 'TERM', 'TOKEN', 'TZ'])
    expect(program.env['HOME']).toBe(program.home)
    expect(dirname(program.home)).toBe(at('data/mcp'))
  })

  it('M8: the service’s own files inside its package are covered', async () => {
    const program = await prepare('node', at('project/tools/server.js'))
    expect(program.readable).toContain(at('project'))
    expect(program.hidden).toEqual([{ path: at('project/yizhan.yaml'), folder: false }])
  })

  it.each([
    ['the data folder', ['node', at('data')]],
    ['a folder in it', ['node', at('data/mcp')]],
    ['everything', ['ls', '/']],
  ])('M8: an entry that names %s is refused', async (_what, [command = '', ...args]) => {
    await expect(prepare(command, ...args)).rejects.toMatchObject({ code: 'mcp.path_refused' })
  })

  it('S7: a program is looked for in trusted folders only', async () => {
    await expect(prepare('./server.js')).rejects.toMatchObject({ code: 'mcp.program_missing' })
    await expect(prepare('no-such-program')).rejects.toMatchObject({ code: 'mcp.program_missing' })
    expect((await prepare('cat')).argv[0]).toMatch(/^\/(usr\/)?bin\/cat$/)
  })
})
