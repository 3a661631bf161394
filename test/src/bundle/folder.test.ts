import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { bundleFolder } from '../../../src/bundle/folder.js'

const BEFORE = new Date('2026-01-01T00:00:00Z')
const LATER = new Date('2026-01-01T00:00:01Z')
const roots: string[] = []

function put(root: string, path: string, text: string, at = BEFORE): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, at, at)
}

function project(): string {
  const root = mkdtempSync(join(tmpdir(), 'yizhan-folder-'))
  roots.push(root)
  for (const path of ['package.json', 'package-lock.json', 'src/a.ts', 'src/room/b.ts', 'adapters/c.ts'])
    put(root, path, 'first')
  return root
}

describe('bundleFolder', () => {
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true })
  })

  it('is the same folder under dist for the same sources', () => {
    const root = project()
    expect(dirname(bundleFolder(root))).toBe(join(root, 'dist'))
    expect(bundleFolder(root)).toBe(bundleFolder(root))
  })

  it.each<[string, (root: string) => void]>([
    ['an edit', (root) => put(root, 'src/room/b.ts', 'second', LATER)],
    ['an edit that is given an old time', (root) => put(root, 'src/room/b.ts', 'longer', BEFORE)],
    ['an older file that comes back', (root) => put(root, 'src/a.ts', 'first', new Date(0))],
    ['a new file', (root) => put(root, 'src/room/new.ts', '')],
    ['a new file of the launcher', (root) => put(root, 'src/room/new.js', '')],
    ['a removed file', (root) => rmSync(join(root, 'adapters/c.ts'))],
    ['other packages', (root) => put(root, 'package-lock.json', 'second', LATER)],
  ])('is another one after %s', (_, change) => {
    const root = project()
    const before = bundleFolder(root)
    change(root)
    expect(bundleFolder(root)).not.toBe(before)
  })

  it('is the same one whatever happens to the pages, which have a build of their own', () => {
    const root = project()
    const before = bundleFolder(root)
    put(root, 'src/console/pages/main.ts', 'page')
    put(root, 'src/console/dist/assets/index.js', 'page')
    expect(bundleFolder(root)).toBe(before)
  })
})
