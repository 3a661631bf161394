/** The size of files as a rule: one that grows over 300 lines knows two things, and is split by what they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const LONGEST = 300
const MEDIAN = 100

const root = resolve(import.meta.dirname, '..')

const sizes = ['src', 'adapters', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|m?js|css)$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
    .map((name) => join(folder, name))
    .map((name) => ({ name, lines: readFileSync(join(root, name), 'utf8').trimEnd().split('\n').length })),
)

it(`no file is over ${LONGEST} lines`, () => {
  expect(sizes.length).toBeGreaterThan(1_000)
  expect(sizes.filter(({ lines }) => lines > LONGEST)).toEqual([])
})

it(`half of the files are not over ${MEDIAN} lines`, () => {
  const lines = sizes.map((file) => file.lines).sort((one, other) => one - other)
  expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(MEDIAN)
})
