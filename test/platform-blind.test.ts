/**
 * One core for all platforms: outside the adapters nothing asks which platform it is. What differs is
 * data (capabilities) or an optional part of the adapter. Names of platforms may stand only where
 * they are configuration, words for people, the name of a tool that exists on one platform, or the
 * table of what an id means (`src/protocol/address.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Rooms and files whose subject is the name of a platform. */
const MAY_NAME = [
  /^src\/config\//,
  /^src\/locale\//,
  /^src\/console\/pages\//,
  /^src\/tools\/(chat|wecom)\//,
  /^src\/protocol\/address\.ts$/,
]

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('/dist/'))

/** Lines of code, without comments, that a pattern finds. */
function linesWith(file: string, pattern: RegExp): string[] {
  const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replace(/[^\n]/g, ''),
  )
  return code
    .split('\n')
    .flatMap((line, index) =>
      pattern.test(line.replace(/\/\/.*$/, ''))
        ? [`${relative(root, join(root, file))}:${index + 1} ${line.trim()}`]
        : [],
    )
}

it('no code of the core compares with the name of a platform', () => {
  const found = files.flatMap((file) =>
    linesWith(
      file,
      /(?:[=!]==?|case|includes\(|startsWith\()\s*['"`](?:feishu|wecom|lark)\b|['"`](?:feishu|wecom|lark)['"`]\s*[=!]==?/,
    ),
  )
  expect(found.filter((line) => !/^src\/console\/pages\//.test(line))).toEqual([])
})

it('the core does not even name a platform, but where names are the subject', () => {
  const found = files
    .filter((file) => !MAY_NAME.some((place) => place.test(file)))
    .flatMap((file) => linesWith(file, /['"`](?:feishu|wecom|lark)['"`:]/))
  expect(found).toEqual([])
})
