/**
 * Skills: instructions that the operator keeps in known folders, named in the prompt and read when
 * wanted. This room knows folders and files; it refuses to look into any workspace, since nothing that
 * a chat can write may configure the service (I8).
 */

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { clipText } from '../protocol/clip-text.ts'
import { AppError } from '../protocol/errors.ts'
import type { Logger } from '../protocol/ports.ts'
import { parseSkill } from './frontmatter.ts'

export interface Skill {
  readonly name: string
  readonly description: string
}

/** Changes of the folders are seen at the next start. */
export interface Skills {
  /** All skills by name; found once, so that the prompt stays the same bytes until the next start. */
  list(): readonly Skill[]
  /**
   * The instructions of a skill, or another text file of its folder. Rejects with `tool.not_found`,
   * `tool.refused` or `tool.limit`.
   */
  read(name: string, file: string | undefined): SkillContent
}

export interface SkillContent {
  readonly text: string
  /** Other files of the skill that can be read, relative to its folder. */
  readonly files: readonly string[]
}

export interface SkillsDeps {
  readonly folders: readonly string[]
  /** Nothing below it is ever a skill: it holds the workspaces. */
  readonly dataDir: string
  readonly logger: Logger
}

interface FoundSkill extends Skill {
  /** Real path of the instructions. */
  readonly path: string
  /** Real path of the folder that belongs to the skill alone; undefined for a single file. */
  readonly folder: string | undefined
}

interface Candidate {
  readonly path: string
  /** Name to go by when the head has none. */
  readonly name: string
  /** True when the file has a folder to itself. */
  readonly own: boolean
}

const MOST_SKILLS = 200
const FILE_BYTES = 256 * 1024
const DESCRIPTION_CHARACTERS = 300
const MOST_FILES = 50

/** Reads the folders once, at the first use. */
export function createSkills(deps: SkillsDeps): Skills {
  let known: ReadonlyMap<string, FoundSkill> | undefined
  const all = (): ReadonlyMap<string, FoundSkill> => {
    known ??= discover(deps)
    return known
  }
  return {
    list: () => [...all().values()].map(({ name, description }) => ({ name, description })),
    read: (name, file) => {
      const skill = all().get(name.replace(/^\//, '').toLowerCase())
      if (!skill) throw unknownSkill(name, [...all().values()])
      return file === undefined ? instructions(skill) : otherFile(skill, file)
    },
  }
}

function discover(deps: SkillsDeps): ReadonlyMap<string, FoundSkill> {
  const found = new Map<string, FoundSkill>()
  const forbidden = realPath(deps.dataDir)
  for (const root of deps.folders) {
    for (const candidate of candidates(root)) {
      const skill = found.size < MOST_SKILLS ? readCandidate(candidate, forbidden) : undefined
      const key = skill?.name.toLowerCase()
      if (skill && key !== undefined && !found.has(key)) found.set(key, skill)
    }
  }
  if (found.size > 0) deps.logger.info({ count: found.size }, 'skills found')
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** `<name>/SKILL.md` and `<name>.md` of a folder, in the order of their names. */
function candidates(root: string): Candidate[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry): Candidate[] => {
        if (entry.isFile() && entry.name.endsWith('.md')) {
          return [{ path: join(root, entry.name), name: basename(entry.name, '.md'), own: false }]
        }
        const isFolder = (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.')
        return isFolder ? [{ path: join(root, entry.name, 'SKILL.md'), name: entry.name, own: true }] : []
      })
  } catch {
    // The folder does not exist or may not be read: no skills in it.
    return []
  }
}

function readCandidate(
  { path, name, own }: Candidate,
  forbidden: string | undefined,
): FoundSkill | undefined {
  const real = realPath(path)
  if (real === undefined || (forbidden !== undefined && isBelow(forbidden, real))) return undefined
  const text = readText(real)
  if (text === undefined) return undefined
  const parsed = parseSkill(text)
  return {
    name: oneLine(parsed.name ?? name, 60),
    description: oneLine(parsed.description ?? '', DESCRIPTION_CHARACTERS),
    path: real,
    folder: own ? dirname(real) : undefined,
  }
}

function instructions(skill: FoundSkill): SkillContent {
  const text = readText(skill.path)
  if (text === undefined) {
    throw new AppError('tool.not_found', `The skill "${skill.name}" is gone or too large.`, {
      hint: 'Go on without it and tell the person.',
    })
  }
  return { text: parseSkill(text).body, files: filesOf(skill) }
}

function otherFile(skill: FoundSkill, file: string): SkillContent {
  const path = skill.folder === undefined ? undefined : realPath(join(skill.folder, file))
  if (skill.folder === undefined || path === undefined || !isBelow(skill.folder, path)) {
    throw new AppError('tool.not_found', `The skill "${skill.name}" has no file "${file}".`, {
      hint: `Its files: ${filesOf(skill).join(', ') || 'none'}.`,
    })
  }
  const text = readText(path)
  if (text === undefined || text.includes('\0')) {
    throw new AppError('tool.refused', `"${file}" is no text of at most ${FILE_BYTES} bytes.`, {
      hint: 'Only text files of a skill can be read.',
    })
  }
  return { text, files: [] }
}

function filesOf(skill: FoundSkill): string[] {
  const { folder } = skill
  if (folder === undefined) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => join(folder, name) !== skill.path)
    .toSorted()
    .slice(0, MOST_FILES)
}

function unknownSkill(name: string, skills: readonly Skill[]): AppError {
  const names = skills.map((skill) => skill.name).join(', ')
  return new AppError('tool.not_found', `There is no skill "${name}".`, {
    hint: names === '' ? 'No skills are installed.' : `There are: ${names}.`,
  })
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist.
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= FILE_BYTES ? readFileSync(path, 'utf8') : undefined
  } catch {
    // It does not exist or may not be read.
    return undefined
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function oneLine(text: string, characters: number): string {
  return clipText(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim(), characters)
}
