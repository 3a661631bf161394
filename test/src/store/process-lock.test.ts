import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { isAppError } from '../../../src/protocol/errors.ts'
import { isInUse, lockDataDir } from '../../../src/store/process-lock.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'yizhan-lock-'))

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (isAppError(error)) return error.code
    throw error
  }
  return 'no error'
}

describe('lockDataDir', () => {
  it('writes the process down for its own user only, and forgets it at the end', () => {
    const dataDir = folder()
    const file = join(dataDir, 'yizhan.pid')
    const lock = lockDataDir(dataDir, 4_194_000)
    expect(readFileSync(file, 'utf8')).toBe('4194000')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    lock.release()
    expect(existsSync(file)).toBe(false)
  })

  it('a folder that nobody holds is not in use, whether anybody has held it or not', () => {
    const dataDir = folder()
    expect(isInUse(dataDir)).toBe(false)
    lockDataDir(dataDir, 4_194_000).release()
    expect(isInUse(dataDir)).toBe(false)
  })

  it('takes over from a dead process, and from a number that another program has now', () => {
    const dataDir = folder()
    for (const holder of ['4194001', String(process.pid), 'no number']) {
      writeFileSync(join(dataDir, 'yizhan.pid'), holder)
      lockDataDir(dataDir, 4_194_000).release()
    }
    expect(existsSync(join(dataDir, 'yizhan.pid'))).toBe(false)
  })

  it.each(['src/start.js', 'src/main.ts'])(
    'refuses while a living service that %s started holds the folder',
    async (program) => {
      const dataDir = folder()
      const other = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")', program])
      await once(other.stdout, 'data')
      writeFileSync(join(dataDir, 'yizhan.pid'), String(other.pid))
      expect(codeOf(() => lockDataDir(dataDir, 4_194_000))).toBe('store.in_use')
      const ended = once(other, 'exit')
      other.stdin.end()
      await ended
      lockDataDir(dataDir, 4_194_000).release()
    },
  )

  it('refuses a second container, in which every process has the number that it had in the first', async () => {
    const dataDir = folder()
    const source = `
      import { lockDataDir } from '${join(import.meta.dirname, '../../../src/store/process-lock.ts')}'
      globalThis.lock = lockDataDir(process.argv[1], 7)
      process.stdin.resume()
      console.log('up')`
    const other = spawn(process.execPath, ['--input-type=module', '-e', source, dataDir])
    await once(other.stdout, 'data')
    expect(readFileSync(join(dataDir, 'yizhan.pid'), 'utf8')).toBe('7')
    expect(isInUse(dataDir)).toBe(true)
    expect(codeOf(() => lockDataDir(dataDir, 7))).toBe('store.in_use')
    const ended = once(other, 'exit')
    other.kill('SIGKILL')
    await ended
    lockDataDir(dataDir, 7).release()
  })

  it('is given back for the same process as well', () => {
    const dataDir = folder()
    const first = lockDataDir(dataDir, 7)
    expect(codeOf(() => lockDataDir(dataDir, 7))).toBe('store.in_use')
    first.release()
    lockDataDir(dataDir, 7).release()
  })

  it('makes a folder that is not there yet, for its own user only', () => {
    const dataDir = join(folder(), 'new')
    lockDataDir(dataDir, 7).release()
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  })

  it('stays with its holder after a second attempt in the same process', async () => {
    const dataDir = folder()
    const first = lockDataDir(dataDir, 7)
    expect(codeOf(() => lockDataDir(dataDir, 7))).toBe('store.in_use')
    const source = `
      import { lockDataDir } from '${join(import.meta.dirname, '../../../src/store/process-lock.ts')}'
      try { lockDataDir(process.argv[1], 7) } catch (error) { console.log(error.code) }`
    const other = spawn(process.execPath, ['--input-type=module', '-e', source, dataDir])
    const said = await text(other.stdout)
    first.release()
    expect(said.trim()).toBe('store.in_use')
  })

  it('says that a folder cannot be written', () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    expect(codeOf(() => lockDataDir(join(file, 'below'), 1))).toBe('store.unwritable')
  })
})
