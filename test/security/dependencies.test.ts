import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const root = resolve(import.meta.dirname, '../..')
const read = (name: string): unknown => JSON.parse(readFileSync(resolve(root, name), 'utf8'))

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      inBundle: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
})
const versions = z.record(z.string(), z.string())
const packageSchema = z.looseObject({ dependencies: versions, devDependencies: versions })

/** Install scripts that were read: a native build that is not used, and the clients of a test tool. */
const LOOKED_AT = new Set(['tree-sitter-bash', '@modelcontextprotocol/inspector'])

describe('D1: packages', () => {
  it('each is locked by a hash, and by no address: it comes from the registry of whoever installs', () => {
    const all = Object.entries(lockSchema.parse(read('package-lock.json')).packages)
    const installed = all.filter(([path, { inBundle }]) => path !== '' && inBundle !== true)
    const loose = installed.filter(
      ([, { resolved, integrity }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
    )
    expect(installed.length).toBeGreaterThan(100)
    expect(loose.map(([path]) => path)).toEqual([])
  })

  it('those we ask for have one exact version each', () => {
    const { dependencies, devDependencies } = packageSchema.parse(read('package.json'))
    const inexact = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    )
    expect(inexact).toEqual([])
  })

  it('none runs a script of its own when it is installed, but those that we have looked at', () => {
    const all = Object.entries(lockSchema.parse(read('package-lock.json')).packages)
    const scripted = all.filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    const known = z
      .looseObject({ allowScripts: z.record(z.string(), z.boolean()) })
      .parse(read('package.json'))
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1) ?? '')
    expect(names.filter((name) => !(name in known.allowScripts) && !LOOKED_AT.has(name))).toEqual([])
  })
})
