import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A mount that only this process and its children see, and that ends with them. */
const MOUNT = 'mount -t tmpfs -o size=10m none "$1" && exec "$2" "$3" "$1"'

it('R13: on a disk that is really full the reserve lets running work be saved, then nothing is lost and all goes on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-full-'))
  const child = join(import.meta.dirname, 'full-disk-child.ts')
  const args = ['-rm', 'sh', '-c', MOUNT, 'sh', folder, process.execPath, child]
  const told = execFileSync('unshare', args, { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(JSON.parse(told)).toEqual({
    whenFull: 'store.full',
    reserveGiven: true,
    intoReserve: 'no error',
    whenAllIsFull: 'store.full',
    probe: 'store.full',
    kept: 1,
    afterwards: 'no error',
    stored: 2,
    reserve: 4 * 1024 * 1024,
    check: 'ok',
  })
})
