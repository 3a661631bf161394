/**
 * Every security and reliability requirement has a test that carries its id, or a line in README.md
 * beside this file that says why there is none. A new id without either fails here.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Group → how many requirements it has. */
const GROUPS: Readonly<Record<string, number>> = {
  W: 18,
  C: 22,
  S: 20,
  F: 12,
  N: 8,
  M: 12,
  P: 7,
  K: 5,
  T: 7,
  X: 5,
  B: 8,
  D: 4,
  R: 42,
}

const ids = Object.entries(GROUPS).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
)

/** Ids that stand in the name of a test, alone or in a list such as "R1–R8" or "C2, C9". */
function idsInNames(): Set<string> {
  const found = new Set<string>()
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  )
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`][^\n]*)/g,
    )) {
      for (const [, group = '', from = '', to] of name.matchAll(
        /\b([A-Z])(\d{1,2})(?:[–-][A-Z]?(\d{1,2}))?\b/g,
      )) {
        for (let number = Number(from); number <= Number(to ?? from); number++) found.add(`${group}${number}`)
      }
    }
  }
  return found
}

function reasons(): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  return new Map(
    [...text.matchAll(/^\| ([A-Z]\d{1,2}) \| (.+) \|$/gm)].map(([, id = '', reason = '']) => [id, reason]),
  )
}

describe('requirements', () => {
  const tested = idsInNames()
  const explained = reasons()

  it.each(ids)('%s has a test by its name, or a reason', (id) => {
    expect(tested.has(id) || (explained.get(id) ?? '').length > 20).toBe(true)
  })

  it('no reason stands for an id that has a test or does not exist', () => {
    expect([...explained.keys()].filter((id) => tested.has(id) || !ids.includes(id))).toEqual([])
  })
})
