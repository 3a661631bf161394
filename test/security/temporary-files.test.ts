import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prepareFolders } from '../../src/session/workspace.ts'

const root = resolve(import.meta.dirname, '../..')

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('dist/'))
    .map((name) => join(folder, name))
}

describe('F12: temporary files', () => {
  it('are made in fresh folders of the service’s own: no name in the shared one can be foreseen', () => {
    const files = [...sources('src'), ...sources('adapters')]
    const foreseen = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8').replace(
        /mkdtemp(?:Sync)?\(\s*join\(tmpdir\(\)/g,
        '',
      )
      return text.includes('tmpdir()')
    })
    expect(files.length).toBeGreaterThan(200)
    expect(foreseen).toEqual([])
  })

  it('of a session lie in folders that nobody else on the machine may enter', () => {
    const folders = prepareFolders(mkdtempSync(join(tmpdir(), 'yizhan-')), 'ops/oc_1/')
    for (const folder of Object.values(folders)) expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(folders.workspace).not.toBe(folders.privateDir)
  })
})
