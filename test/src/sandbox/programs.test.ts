import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findAccount } from '../../../src/sandbox/account.ts'
import { canReach, findProgram } from '../../../src/sandbox/programs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yizhan-test-path-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('S7: finds a program by absolute path only, and never a folder or a plain file', async () => {
  for (const name of ['a', 'b', 'c']) mkdirSync(join(folder, name))
  mkdirSync(join(folder, 'a', 'git'))
  writeFileSync(join(folder, 'b', 'git'), '', { mode: 0o644 })
  writeFileSync(join(folder, 'c', 'git'), '', { mode: 0o755 })
  const path = ['', '.', 'relative', ...['a', 'b', 'c'].map((name) => join(folder, name))].join(':')
  expect(await findProgram('git', path)).toBe(join(folder, 'c', 'git'))
  expect(await findProgram('git', '.:')).toBeUndefined()
})

it('reads accounts from passwd, and numbers as they are', async () => {
  const file = join(folder, 'passwd')
  writeFileSync(file, 'root:x:0:0::/root:/bin/sh\nagent:x:990:991::/:/bin/false\n')
  expect(await findAccount('agent', file)).toEqual({ name: 'agent', uid: 990, gid: 991 })
  expect(await findAccount('ghost', file)).toBeUndefined()
  expect(await findAccount('1234', file)).toEqual({ name: '1234', uid: 1234, gid: 1234 })
})

it('sees when a folder above cannot be entered', async () => {
  const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 }
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'closed', 'ws'), { recursive: true })
  expect(canReach(join(folder, 'closed', 'ws'), stranger)).toBe(true)
  chmodSync(join(folder, 'closed'), 0o700)
  expect(canReach(join(folder, 'closed', 'ws'), stranger)).toBe(false)
})
