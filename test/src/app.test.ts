import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApp } from '../../src/app.ts'
import { parseConfig } from '../../src/config/load.ts'
import { lockDataDir } from '../../src/store/process-lock.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'

it('a second program leaves the database of the one that is running alone, and says who holds it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-app-'))
  const dataDir = join(folder, 'playground')
  const loaded = parseConfig(`{ server: { port: 0 }, dataDir: ${folder} }`, { file: 'app.yaml', env: {} })
  const lock = lockDataDir(dataDir, 4_194_000)
  const started = startApp({
    ...{ loaded, clock: createSystemClock(), random: createSystemRandom() },
    ...{ logger: createCollectingLogger(), pid: process.pid, version: '0.0.0' },
  })
  await expect(started).rejects.toMatchObject({
    code: 'store.in_use',
    params: { holder: 4_194_000, dataDir },
  })
  // Opening it would have made it, and brought one that is there up to date.
  expect(existsSync(join(dataDir, 'yizhan.db'))).toBe(false)
  lock.release()
})
