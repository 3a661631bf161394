/** The import rule as a table: which room may import which. Arrows point toward `protocol`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, packagesOf, sourcesBelow } from './support/source-imports.ts'

/** Rooms of `src` that each room may import, beside itself, `protocol` and npm packages. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  system: [],
  locale: [],
  config: [],
  store: [],
  queue: [],
  schedule: ['config', 'observability', 'outbound', 'policy', 'queue', 'store'],
  model: ['config', 'locale'],
  sandbox: ['system'],
  net: [],
  browser: ['net', 'sandbox'],
  desktop: ['sandbox'],
  video: ['net', 'store'],
  outbound: ['store'],
  report: ['config', 'locale', 'store'],
  session: ['store'],
  policy: ['config'],
  approval: ['policy', 'store', 'observability'],
  tools: ['browser', 'desktop', 'memory', 'net', 'sandbox', 'skills', 'video', 'workbench'],
  workbench: [
    ...['approval', 'config', 'observability', 'outbound', 'policy', 'queue'],
    ...['sandbox', 'session', 'store'],
  ],
  memory: ['store'],
  skills: [],
  engine: ['tools', 'session'],
  mcp: ['sandbox', 'store', 'tools'],
  gateway: ['approval', 'memory', 'outbound', 'policy', 'queue', 'session', 'store'],
  worker: ['approval', 'outbound', 'policy', 'queue', 'session', 'store'],
  http: [],
  console: ['store'],
  observability: ['store'],
  house: ['*'],
  cli: ['*'],
  bundle: [],
}

/** Files directly in `src`: composition. Only these may import these; `adapters` belongs to app.ts alone. */
const COMPOSITION = ['app.ts', 'main.ts', 'start.js', 'bots.ts', 'people.ts', 'playground.ts', 'readiness.ts']
const root = resolve(import.meta.dirname, '..')

const roomOf = (path: string): string =>
  path.split('/').length > 2 ? (path.split('/')[1] ?? '') : 'composition'

describe('import rule', () => {
  it('every room of src is in the table', () => {
    const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    expect(rooms.map((entry) => entry.name).sort()).toEqual(Object.keys(MAY_IMPORT).sort())
    const files = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map((entry) => entry.name).sort()).toEqual([...COMPOSITION].sort())
  })

  it.each(Object.entries(MAY_IMPORT))('src/%s imports only what the table allows', (room, allowed) => {
    if (allowed.includes('*')) return
    const strangers = sourcesBelow(`src/${room}`).flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('src/'))
        .filter((target) => ![room, 'protocol', ...allowed].includes(roomOf(target)))
        .map((target) => `${file} → ${target}`),
    )
    expect(strangers).toEqual([])
  })

  it('protocol imports only zod', () => {
    const packages = sourcesBelow('src/protocol').flatMap(packagesOf)
    expect([...new Set(packages)].filter((name) => name !== 'zod')).toEqual([])
  })

  it('only app.ts imports adapters', () => {
    const importers = sourcesBelow('src').filter((file) =>
      importsOf(file).some((target) => target.startsWith('adapters/')),
    )
    expect(importers).toEqual(['src/app.ts'])
  })

  it('an adapter imports src/protocol and nothing else of ours', () => {
    const strangers = sourcesBelow('adapters').flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const platform = file.split('/')[1] ?? ''
          if (platform.endsWith('.ts'))
            return target.startsWith('src/') && !target.startsWith('src/protocol/')
          return !target.startsWith('src/protocol/') && !target.startsWith(`adapters/${platform}/`)
        })
        .map((target) => `${file} → ${target}`),
    )
    expect(strangers).toEqual([])
  })

  it('only config reads the environment', () => {
    const readers = [...sourcesBelow('src'), ...sourcesBelow('adapters')].filter(
      (file) =>
        !file.startsWith('src/config/') && /process\.env\b/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(readers).toEqual([])
  })
})
