import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readExitStatus, writeExitStatus } from '../../../src/sandbox/exit-status.ts'

it('R5: an exit status is read back as it was written; absent or torn means unknown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-test-status-'))
  const path = join(folder, 'status.json')
  expect(await readExitStatus(path)).toBeUndefined()
  const status = { ended: 'exit', exitCode: 1, totalBytes: 5, durationMs: 9 } as const
  writeExitStatus(path, status)
  expect(await readExitStatus(path)).toEqual(status)
  writeFileSync(path, '{"ended":"ex')
  expect(await readExitStatus(path)).toBeUndefined()
  rmSync(folder, { recursive: true })
})
