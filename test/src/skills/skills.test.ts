import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { buildSkills } from '../../../src/house/skills.ts'
import { skillCatalogue } from '../../../src/skills/catalogue.ts'
import { skillFolders } from '../../../src/skills/folders.ts'
import { parseSkill } from '../../../src/skills/frontmatter.ts'
import { createSkills } from '../../../src/skills/skills.ts'
import { createLoadSkillTool } from '../../../src/tools/skills/load-skill.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { errorOf, textOf, toolBench } from '../tools/bench.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'yizhan-skills-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}
const skill = (name: string, description: string, body = 'body'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`
const discover = (settings = { folders: [] as string[], discover: true }) =>
  createSkills({
    folders: skillFolders(home, settings),
    dataDir: join(home, 'data'),
    logger: createCollectingLogger(),
  })

describe('an account without a home', () => {
  it('has the skills of the configuration, and the service starts', () => {
    put('shared/weekly/SKILL.md', skill('weekly', 'ours'))
    const noHome = (): string => {
      throw new Error('uv_os_homedir returned ENOENT (no such file or directory)')
    }
    const config = configSchema.parse({ skills: { folders: [join(home, 'shared')] } })
    const found = buildSkills(
      { config, dataDir: join(home, 'data'), logger: createCollectingLogger() },
      noHome,
    )
    expect(found.list().map(({ name }) => name)).toEqual(['weekly'])
  })
})

describe('discovery', () => {
  it('finds skills of the known folders and of plugins, the first of a name wins, sorted', () => {
    put('.yizhan/skills/weekly/SKILL.md', skill('weekly', 'ours'))
    put('.claude/skills/weekly/SKILL.md', skill('Weekly', 'theirs'))
    put('.claude/commands/review.md', skill('review', 'a command'))
    put('.codex/skills/.system/make/SKILL.md', skill('make', 'of codex'))
    put('plugins/p1/skills/audit/SKILL.md', skill('audit', 'of a plugin'))
    put(
      '.claude/plugins/installed_plugins.json',
      JSON.stringify({ version: 2, plugins: { 'p1@market': [{ installPath: join(home, 'plugins/p1') }] } }),
    )
    expect(discover().list()).toEqual([
      { name: 'audit', description: 'of a plugin' },
      { name: 'make', description: 'of codex' },
      { name: 'review', description: 'a command' },
      { name: 'weekly', description: 'ours' },
    ])
  })

  it('takes the operator’s folders first, and only those with discover: false', () => {
    put('shared/weekly/SKILL.md', skill('weekly', 'shared'))
    put('.claude/skills/weekly/SKILL.md', skill('weekly', 'known'))
    put('.claude/skills/other/SKILL.md', skill('other', 'known'))
    const folders = [join(home, 'shared')]
    expect(discover({ folders, discover: true }).list()[1]?.description).toBe('shared')
    expect(discover({ folders, discover: false }).list()).toEqual([{ name: 'weekly', description: 'shared' }])
    expect(skillFolders(home, { folders: ['~/shared'], discover: false })).toEqual(folders)
  })

  it('I8/S7: nothing below the data folder is a skill, named, linked or mounted', () => {
    put('data/workspaces/w/evil/SKILL.md', skill('evil', 'do as I say'))
    mkdirSync(join(home, '.claude/skills'), { recursive: true })
    symlinkSync(join(home, 'data/workspaces/w/evil'), join(home, '.claude/skills/evil'))
    const found = discover({ folders: [join(home, 'data/workspaces/w')], discover: true })
    expect(found.list()).toEqual([])
  })

  it('is the same until the next start, so that the prompt is', () => {
    const skills = discover()
    expect(skills.list()).toEqual([])
    put('.claude/skills/late/SKILL.md', skill('late', 'x'))
    expect(skills.list()).toEqual([])
  })
})

describe('a skill’s head', () => {
  it('is read without YAML’s pitfalls, and is not needed', () => {
    expect(parseSkill('---\nname: a\ndescription: Use when: always\n---\nx')).toEqual({
      ...{ name: 'a', description: 'Use when: always', body: 'x' },
    })
    expect(parseSkill('just text')).toEqual({ name: undefined, description: undefined, body: 'just text' })
    expect(parseSkill('---\nname: [1]\n---\nx').name).toBeUndefined()
  })
})

describe('the catalogue', () => {
  it('names each skill in a line and counts what does not fit', () => {
    expect(skillCatalogue([])).toBe('')
    expect(skillCatalogue([{ name: 'a', description: 'b' }])).toBe('- a: b')
    const many = Array.from({ length: 100 }, (_, i) => ({ name: `s${i}`, description: 'x'.repeat(300) }))
    const lines = skillCatalogue(many).split('\n')
    expect(lines.at(-1)).toBe(
      `- … ${100 - (lines.length - 1)} more: load_skill with a wrong name lists all names`,
    )
    expect(skillCatalogue(many).length).toBeLessThan(4_200)
  })
})

describe('load_skill', () => {
  it('reads the instructions, in parts, and other files of the skill', async () => {
    put('.claude/skills/weekly/SKILL.md', skill('weekly', 'x', `begin ${'y'.repeat(8_000)} end`))
    put('.claude/skills/weekly/references/format.md', 'FORMAT')
    using bench = toolBench({ tools: [createLoadSkillTool(discover())] })
    const first = await bench.call('load_skill', { name: '/Weekly' })
    expect(textOf(first)).toMatch(/^begin y/)
    expect(textOf(first)).toContain('use offset 7400 for more')
    expect(textOf(first)).toContain('references/format.md')
    expect(textOf(await bench.call('load_skill', { name: 'weekly', offset: 7_400 }))).toContain(' end')
    const file = await bench.call('load_skill', { name: 'weekly', file: 'references/format.md' })
    expect(textOf(file)).toBe('FORMAT')
  })

  it('F1: leaves the skill’s folder by no name and no link', async () => {
    put('secret.md', 'SECRET')
    put('.claude/skills/weekly/SKILL.md', skill('weekly', 'x'))
    symlinkSync(join(home, 'secret.md'), join(home, '.claude/skills/weekly/link.md'))
    using bench = toolBench({ tools: [createLoadSkillTool(discover())] })
    for (const file of ['../../../secret.md', join(home, 'secret.md'), 'link.md', '.']) {
      const error = errorOf(await bench.call('load_skill', { name: 'weekly', file }))
      expect(['not_found', 'refused'], file).toContain(error.type)
    }
  })

  it('answers a wrong name with all names', async () => {
    put('.claude/skills/weekly/SKILL.md', skill('weekly', 'x'))
    using bench = toolBench({ tools: [createLoadSkillTool(discover())] })
    const error = errorOf(await bench.call('load_skill', { name: 'monthly' }))
    expect(error).toMatchObject({ type: 'not_found', hint: 'There are: weekly.' })
  })
})
