/** Everything that a run of the tests writes lies in one folder, which goes with it: a whole run writes gigabytes. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Vitest calls it before it starts its workers, which inherit `TMPDIR`, and what it returns after the last test. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-run-'))
  // Databases and commands under accounts of their own have folders in it.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
