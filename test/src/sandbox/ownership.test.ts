import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClaimer } from '../../../src/sandbox/ownership.ts'
import { createManualClock } from '../../support/clock.ts'

const NOBODY = 65_534
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yizhan-test-owner-'))
  mkdirSync(join(root, 'ws', 'a', 'b'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

const at = (...path: string[]): string => join(root, 'ws', ...path)
const owner = (path: string): number => lstatSync(path).uid

describe.runIf(process.getuid?.() === 0)('claiming a workspace', () => {
  it('gives root’s files and folders at any depth to the account, and no one else’s', () => {
    writeFileSync(at('a', 'b', 'file'), '')
    writeFileSync(at('other'), '')
    chownSync(at('other'), 1_234, 1_234)
    createClaimer(createManualClock()).claim(at(), NOBODY, NOBODY)
    expect([at(), at('a'), at('a', 'b', 'file'), at('other')].map(owner)).toEqual([
      NOBODY,
      NOBODY,
      NOBODY,
      1_234,
    ])
  })

  it('S17: follows no link and leaves a file with a second name alone', () => {
    writeFileSync(join(root, 'secret'), '')
    writeFileSync(join(root, 'linked'), '')
    mkdirSync(join(root, 'outside'))
    writeFileSync(join(root, 'outside', 'file'), '')
    symlinkSync(join(root, 'secret'), at('link'))
    symlinkSync(join(root, 'outside'), at('folder'))
    linkSync(join(root, 'linked'), at('twin'))
    createClaimer(createManualClock()).claim(at(), NOBODY, NOBODY)
    expect(owner(at('link'))).toBe(NOBODY)
    for (const path of ['secret', 'linked', 'outside', 'outside/file'])
      expect(statSync(join(root, path)).uid).toBe(0)
  })

  it('the second time looks only into folders that changed since', () => {
    const clock = createManualClock(Date.now())
    const claimer = createClaimer(clock)
    claimer.claim(at(), NOBODY, NOBODY)
    writeFileSync(at('a', 'b', 'new'), '')
    writeFileSync(at('a', 'unseen'), '')
    utimesSync(at('a'), 0, 0)
    claimer.claim(at(), NOBODY, NOBODY)
    expect(owner(at('a', 'b', 'new'))).toBe(NOBODY)
    expect(owner(at('a', 'unseen'))).toBe(0)
  })
})
