/** The protocol is what every room and adapter is written against: each of its exports says what it is. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourcesBelow } from './support/source-imports.ts'

/** Exported declarations without a docstring directly above; a lint directive may stand between. */
function undocumented(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    const name = /^export (?:abstract )?(?:interface|type|class|function|async function|const) (\w+)/.exec(
      line,
    )?.[1]
    if (name === undefined) return []
    const above = lines.slice(0, index).filter((one) => !one.startsWith('// biome-ignore'))
    return above.at(-1)?.endsWith('*/') ? [] : [`${file}:${index + 1} ${name}`]
  })
}

it('every export of src/protocol has a docstring', () => {
  expect(sourcesBelow('src/protocol').flatMap(undocumented)).toEqual([])
})

it('the main file of a room, named like its folder, begins with what the room is', () => {
  const headless = sourcesBelow('src')
    .filter((file) => /\/(\w[\w-]*)\/\1\.ts$/.test(file))
    .filter((file) => !readFileSync(file, 'utf8').startsWith('/**'))
  expect(headless).toEqual([])
})
