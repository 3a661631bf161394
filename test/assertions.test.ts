/** Every assertion about the platforms is some test's name: `feishu 1: …` to `33`, `wecom 1: …` to `40`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ASSERTIONS = { feishu: 33, wecom: 40 }

/** Numbers in the names of tests, in lists as well: `wecom 21, 22: …`. */
function numbersIn(source: string, platform: string): number[] {
  const names = source.matchAll(new RegExp(`\\b${platform} (\\d+(?:, \\d+)*): `, 'g'))
  return [...names].flatMap((match) => (match[1] ?? '').split(', ').map(Number))
}

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))

it.each(Object.entries(ASSERTIONS))(
  'every assertion about %s has a test by its number',
  (platform, count) => {
    const proven = new Set(sources.flatMap((source) => numbersIn(source, platform)))
    const missing = Array.from({ length: count }, (_, index) => index + 1).filter((one) => !proven.has(one))
    expect(missing).toEqual([])
  },
)
