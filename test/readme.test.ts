/** What the READMEs say about the project is true: rooms, doors, commands, paths. The tool tables have their own test. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseCommand } from '../src/gateway/command-line.ts'
import { commands } from '../src/gateway/commands/index.ts'
import { importsOf, sourcesBelow } from './support/source-imports.ts'

const READMES = ['README.md', 'README.zh-CN.md']
const english = readFileSync('README.md', 'utf8')
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')))

interface Row {
  readonly rooms: readonly string[]
  readonly refuses: string
}

/** Rows of the room map: the paths in a row's first cell, and its last cell. */
const rows: readonly Row[] =
  english
    .slice(english.indexOf('| room | knows |'))
    .split('\n\n')[0]
    ?.split('\n')
    .slice(2)
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const named = line.includes('composition') ? line : (cells[1] ?? '')
      const rooms = [...named.matchAll(/`((?:src|adapters)\/[^`]+)`/g)].map(([, room = '']) => room)
      return { rooms: rooms.map((room) => room.replace('/<platform>', '')), refuses: cells[3] ?? '' }
    }) ?? []

describe('the room map', () => {
  it('names every folder and file of src, and only what exists', () => {
    const entries = readdirSync('src', { withFileTypes: true }).map((entry) => `src/${entry.name}`)
    const named = rows.flatMap(({ rooms }) => rooms).filter((room) => room.startsWith('src/'))
    expect([...named].sort()).toEqual(entries.sort())
  })

  /** What a room refuses to know, as folders whose code it must not import. */
  const REFUSALS: Readonly<Record<string, readonly string[]>> = {
    platforms: ['adapters'],
    'the agent': ['src/engine', 'src/model', 'src/worker'],
    models: ['src/model'],
    sessions: ['src/session'],
    'how a call is judged': ['src/policy', 'src/approval'],
    'how a call was judged': ['src/worker'],
    'how a call runs': ['src/sandbox', 'src/tools'],
    'who may use them': ['src/policy', 'src/approval'],
    'who may call': ['src/policy'],
    'what a report shows': ['src/report'],
    'when a report is due': ['src/schedule'],
    'what a row means': ['src/session', 'src/worker', 'src/approval', 'src/schedule'],
    'prompts and models': ['src/engine', 'src/model'],
    'everything else': ['src', 'adapters'],
    'each other': ['src/config', 'src/locale', 'src/observability', 'src/system'],
  }
  const told = rows.flatMap(({ rooms, refuses }) =>
    Object.entries(REFUSALS)
      .filter(([words]) => refuses.includes(words))
      .flatMap(([words, folders]) => rooms.map((room) => ({ room, words, folders }))),
  )

  it.each(told)('$room does not import what it refuses to know: $words', ({ room, folders }) => {
    const strangers = folders.filter((folder) => folder !== room)
    const found = sourcesBelow(room)
      .flatMap((file) => importsOf(file).map((target) => `${file} → ${target}`))
      .filter((arrow) => {
        const target = arrow.split(' → ')[1] ?? ''
        return !target.startsWith(`${room}/`) && strangers.some((folder) => target.startsWith(`${folder}/`))
      })
    expect(found).toEqual([])
  })

  it('holds at least one refusal against the imports in most rows', () => {
    expect(new Set(told.map(({ room }) => room)).size).toBeGreaterThan(20)
  })
})

describe.each(READMES)('%s', (file) => {
  const text = readFileSync(file, 'utf8')

  it('links and points only to what exists', () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path)
    const paths = [...text.matchAll(/`((?:src|adapters|test|deploy)\/[^`<*]+)`/g)].map(
      ([, path = '']) => path,
    )
    expect(links.length).toBeGreaterThan(3)
    expect([...links, ...paths].filter((path) => !existsSync(path))).toEqual([])
  })

  it('names the npm scripts that there are', () => {
    const inWords = text.matchAll(/npm (?:run (?:-s )?([a-z:]+)|(start|test)\b)/g)
    const inJson = text.matchAll(/"run", "-s", "([a-z:]+)"/g)
    const named = [...inWords, ...inJson].map(([, run, short]) => run ?? short ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    const internal = ['build', 'prepare', 'format']
    expect(Object.keys(scripts).filter((name) => !internal.includes(name) && !named.includes(name))).toEqual(
      [],
    )
  })

  it('lists every chat command, by a word that the chat understands', () => {
    const line = text.split('\n').find((one) => /^(In chat|群里的命令)[:：]/.test(one)) ?? ''
    const words = [...line.matchAll(/`(\/[^`]+)`/g)].map(([, word = '']) => word)
    expect(words.map((word) => parseCommand(word)?.name).sort()).toEqual(Object.keys(commands).sort())
  })

  it('shows as many doors as it says, each of which exists', () => {
    const [, line = ''] = /^(\*\*(?:Seven doors|七扇门)\*\*.*)$/m.exec(text) ?? []
    const doors = [...line.matchAll(/[(（]`([^`]+)`[)）]/g)].map(([, path = '']) => path)
    expect(doors).toHaveLength(7)
    expect(doors.filter((path) => !existsSync(path) && !existsSync(`src/${path}`))).toEqual([])
  })
})
