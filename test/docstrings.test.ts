/**
 * What crosses the wall of a room is read by people who do not know the room: each such export, and all of
 * the protocol, says what its name and its types do not.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importedNames, sourcesBelow } from './support/source-imports.ts'

const EXPORT = /^export (?:abstract )?(?:interface|type|class|const|(?:async )?function\*?) (\w+)/

interface Documented {
  readonly name: string
  /** Undefined where none stands directly above; a lint directive may stand between. */
  readonly doc: string | undefined
}

/** The exported declarations of a file. */
function exportsOf(file: string): Documented[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, index): Documented[] => {
    const name = EXPORT.exec(line)?.[1]
    if (name === undefined) return []
    const above = lines.slice(0, index).filter((one) => !one.startsWith('// biome-ignore'))
    if (!above.at(-1)?.endsWith('*/')) return [{ name, doc: undefined }]
    const begin = above.findLastIndex((one) => one.startsWith('/**'))
    return [{ name, doc: above.slice(begin).join(' ') }]
  })
}

const undocumented = (file: string): string[] =>
  exportsOf(file)
    .filter(({ doc }) => doc === undefined)
    .map(({ name }) => `${file} ${name}`)

/** `src/store`, `adapters/wecom`, or `src` for a file that stands in no room. */
const roomOf = (file: string): string =>
  file
    .split('/')
    .slice(0, 2)
    .join('/')
    .replace(/\/[^/]*\.ts$/, '')

/** The file that declares a name, found through the index files that hand it on; undefined when there is none. */
function declaring(file: string, name: string): string | undefined {
  if (exportsOf(file).some((one) => one.name === name)) return file
  return importedNames(file)
    .filter((one) => one.name === name || one.name === '*')
    .map((one) => declaring(one.from, name))
    .find((found) => found !== undefined)
}

/** `file name` of everything that is imported from another room. */
function crossing(): ReadonlySet<string> {
  const files = [...sourcesBelow('src'), ...sourcesBelow('adapters')]
  const imported = files.flatMap((file) =>
    importedNames(file).filter(({ from }) => roomOf(from) !== roomOf(file)),
  )
  return new Set(imported.map(({ name, from }) => `${declaring(from, name)} ${name}`))
}

const crossed = crossing()
const crossedFiles = [...new Set([...crossed].map((one) => one.split(' ')[0] ?? ''))]

/** Words of a docstring that its name does not hold; a few are needed to say something. */
function ownWords(name: string, doc: string): string[] {
  const known = name.toLowerCase()
  const words = doc.toLowerCase().match(/[\p{L}\d_]{2,}/gu) ?? []
  return words.filter((word) => !known.includes(word.replace(/s$/, '')))
}

it('every export of src/protocol has a docstring', () => {
  expect(sourcesBelow('src/protocol').flatMap(undocumented)).toEqual([])
})

it('every export that another room imports has a docstring', () => {
  expect(crossed.size).toBeGreaterThan(600)
  expect(crossedFiles).not.toContain('undefined')
  const missing = crossedFiles.flatMap(undocumented).filter((one) => crossed.has(one))
  expect(missing).toEqual([])
})

it('such a docstring says more than the name', () => {
  const empty = crossedFiles.flatMap((file) =>
    exportsOf(file)
      .filter(({ name }) => crossed.has(`${file} ${name}`))
      .filter(({ name, doc }) => doc !== undefined && ownWords(name, doc).length < 2)
      .map(({ name, doc }) => `${file} ${name}: ${doc}`),
  )
  expect(empty).toEqual([])
})

it('the main file of a room, named like its folder, begins with what the room is', () => {
  const headless = sourcesBelow('src')
    .filter((file) => /\/(\w[\w-]*)\/\1\.ts$/.test(file))
    .filter((file) => !readFileSync(file, 'utf8').startsWith('/**'))
  expect(headless).toEqual([])
})
