import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox, selfTest } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { realSandbox, TEST_LIMITS } from './real-sandbox.ts'

it('S17: from inside, every single attempt is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-test-secret-'))
  writeFileSync(join(folder, 'yizhan.yaml'), 'apiKey: canary')
  const sandbox = await realSandbox()
  const items = await selfTest(sandbox, { secretPaths: [join(folder, 'yizhan.yaml'), process.execPath] })
  expect(items.length).toBeGreaterThanOrEqual(34)
  for (const item of items) expect(item).toMatchObject({ outcome: 'refused', ok: true })
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

it('the self-test notices when there are no walls', async () => {
  const open = await createSandbox({ ...TEST_LIMITS, kind: 'none' }, { logger: createCollectingLogger() })
  // The same attempts with the service's own rights, as if bubblewrap did nothing.
  const disguised = { ...open, status: () => ({ kind: 'bubblewrap', reason: '', profile: '' }) as const }
  const items = await selfTest(disguised, { secretPaths: [process.execPath] })
  const through = items.filter((item) => item.outcome === 'succeeded').map((item) => item.attempt)
  expect(through).toEqual(
    expect.arrayContaining([
      `read ${process.execPath}`,
      'see processes of the host',
      'reach a loopback port of the service',
      'run without a seccomp filter',
      'gain privileges',
      'io_uring_setup',
    ]),
  )
  await open.close()
})

it('S16: no sandbox is a failed self-test, not an empty one', async () => {
  const broken = await createSandbox(TEST_LIMITS, { logger: createCollectingLogger(), path: '/nonexistent' })
  expect(await selfTest(broken)).toMatchObject([{ ok: false, detail: expect.stringContaining('bubblewrap') }])
})
