/**
 * The requirements that this product is held to, and what stands for each: tests that carry its id in
 * their name, and the lines of README.md beside this file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Group → what it is about, and how many requirements it has. */
const GROUPS: Readonly<Record<string, readonly [about: string, count: number]>> = {
  W: ['webhooks are who they say', 18],
  C: ['approval cards and clicks', 22],
  S: ['commands', 20],
  F: ['files', 12],
  N: ['web and browser', 8],
  M: ['MCP', 12],
  P: ['injected words', 7],
  K: ['secrets', 5],
  T: ['chats apart from each other', 7],
  X: ['files on their way out', 5],
  B: ['pages', 8],
  D: ['supply chain', 4],
  R: ['reliability', 42],
}

export const REQUIREMENTS: readonly string[] = Object.entries(GROUPS).flatMap(([group, [, count]]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
)

export interface NamedTest {
  /** Relative to `test/`. */
  readonly file: string
  readonly name: string
}

/** Every test by the ids in its name, alone or in a list such as "R1–R8" or "C2, C9". */
export function testsById(): Map<string, NamedTest[]> {
  const found = new Map<string, NamedTest[]>()
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  )
  for (const file of files.sort()) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, , name = ''] of text.matchAll(
      /\b(?:it|test|describe)(?:\.\w+(?:<[^(]*>)?(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(['"`])((?:(?!\1)[^\n\\]|\\.)*)/g,
    ))
      for (const id of idsIn(name)) (found.get(id) ?? found.set(id, []).get(id))?.push({ file, name })
  }
  return found
}

function idsIn(name: string): Set<string> {
  const ids = new Set<string>()
  for (const [, group = '', from = '', to] of name.matchAll(
    /\b([A-Z])(\d{1,2})(?:[–-][A-Z]?(\d{1,2}))?\b/g,
  )) {
    for (let number = Number(from); number <= Number(to ?? from); number++) ids.add(`${group}${number}`)
  }
  return ids
}

/** Lines of one table of README.md: id → words. */
export function explained(heading: string): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  return new Map(
    [...section.matchAll(/^\| ([A-Z]\d{1,2}) \| (.+) \|$/gm)].map(([, id = '', words = '']) => [id, words]),
  )
}

/** The whole list as a terminal shows it: each id with its tests and what they leave open, or with the reason for none. */
export function requirementList(): string {
  const tests = testsById()
  const reasons = explained('Without a test')
  const parts = explained('Proven in part')
  const lines = REQUIREMENTS.flatMap((id) => {
    const named = (tests.get(id) ?? []).map(({ file, name }) => `  - test/${file}: ${name}`)
    const part = parts.get(id)
    const reason = reasons.get(id)
    return [
      `- ${id}${reason === undefined ? '' : ` no test: ${plain(reason)}`}`,
      ...named,
      ...(part === undefined ? [] : [`  - open: ${plain(part)}`]),
    ]
  })
  const tested = REQUIREMENTS.filter((id) => tests.has(id)).length
  const count = `${REQUIREMENTS.length} requirements: ${tested} with tests (${parts.size} of them in part), ${REQUIREMENTS.length - tested} with a reason.`
  return [count, '', ...lines, ''].join('\n')
}

/** Without the signs of Markdown. */
function plain(words: string): string {
  return words.replace(/`([^`]*)`|\*\*([^*]+)\*\*/g, '$1$2')
}
