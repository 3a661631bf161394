import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { createSandbox } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { living } from './marked-processes.ts'
import { realSandbox, TEST_LIMITS, workbench } from './real-sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

describe('S16: without a sandbox', () => {
  const run = (broken: Sandbox): Promise<unknown> => {
    using bench = workbench(broken)
    return bench.run('echo ran').then(
      (result) => result,
      (error: unknown) => error,
    )
  }

  it('a machine without bubblewrap refuses, and says how to install it', async () => {
    const broken = await createSandbox(TEST_LIMITS, {
      logger: createCollectingLogger(),
      path: '/nonexistent',
    })
    expect(broken.status()).toMatchObject({ kind: 'unavailable' })
    expect(broken.status().reason).toContain('apt-get install bubblewrap')
    expect(await run(broken)).toMatchObject({ code: 'sandbox.unavailable' })
  })

  it('bubblewrap that cannot start refuses with its own complaint', async () => {
    using bench = workbench(sandbox)
    const fake = join(bench.privateDir, 'bwrap')
    writeFileSync(fake, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
      mode: 0o755,
    })
    const path = `${bench.privateDir}:/usr/sbin:/usr/bin:/sbin:/bin`
    const broken = await createSandbox(TEST_LIMITS, { logger: createCollectingLogger(), path })
    expect(broken.status().reason).toMatch(/did not start|No permissions/)
    expect(await run(broken)).toMatchObject({ code: 'sandbox.unavailable' })
  })

  it.runIf(process.getuid?.() === 0)('commands never run as root', async () => {
    const broken = await createSandbox({ ...TEST_LIMITS, user: 'root' }, { logger: createCollectingLogger() })
    expect(broken.status()).toMatchObject({ kind: 'unavailable' })
    const unknown = await createSandbox(
      { ...TEST_LIMITS, user: 'no-such-user' },
      { logger: createCollectingLogger() },
    )
    expect(unknown.status().reason).toContain('useradd')
  })

  it('kind none, chosen by name, runs with a clean environment and kills its group', async () => {
    const open = await createSandbox({ ...TEST_LIMITS, kind: 'none' }, { logger: createCollectingLogger() })
    expect(open.status()).toMatchObject({ kind: 'none' })
    using bench = workbench(open)
    const marker = `4646.${Date.now()}`
    const result = await bench.run(`sleep ${marker} & env | cut -d= -f1 | sort | tr '\\n' ' '; exit 4`)
    expect(result).toMatchObject({
      ended: 'exit',
      exitCode: 4,
      output: expect.stringMatching(/^(GIT_CONFIG_\w+ )+HOME LANG PATH PWD SHLVL TERM TZ _ $/),
    })
    await expect.poll(() => living(marker)).toBe(false)
    await open.close()
  })
})
