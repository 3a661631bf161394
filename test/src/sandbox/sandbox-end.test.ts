import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { readExitStatus } from '../../../src/sandbox/index.ts'
import { brokerOf, living } from './marked-processes.ts'
import { realSandbox, workbench } from './real-sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

describe('the end of a command', () => {
  it('S11: nothing it left in the background outlives it', async () => {
    using bench = workbench(sandbox)
    const marker = `4242.${Date.now()}`
    const result = await bench.run(
      `sleep ${marker} & setsid sleep ${marker} & nohup sleep ${marker} >/dev/null 2>&1 & echo out`,
    )
    expect(result).toMatchObject({ exitCode: 0, output: 'out\n' })
    expect(living(marker)).toBe(false)
  })

  it('S15: at the time limit it gets SIGTERM and may say goodbye', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('trap "echo bye; exit 0" TERM; while :; do sleep 0.1; done', {
      timeoutMs: 1_000,
    })
    expect(result).toMatchObject({ ended: 'timeout', exitCode: undefined })
    expect(result.output).toMatch(/bye\n$/)
  })

  it('S15: who ignores SIGTERM, is stopped or in another session dies two seconds later', async () => {
    using bench = workbench(sandbox)
    const marker = `4343.${Date.now()}`
    const command = `trap "" TERM; setsid sleep ${marker} & (kill -STOP $BASHPID) & sleep ${marker}`
    const result = await bench.run(command, { timeoutMs: 1_000 })
    expect(result.ended).toBe('timeout')
    expect(result.durationMs).toBeGreaterThanOrEqual(2_900)
    expect(living(marker)).toBe(false)
    expect(await readExitStatus(bench.statusPath)).toMatchObject({ ended: 'timeout' })
  })

  it('an abort ends it and says so', async () => {
    using bench = workbench(sandbox)
    const controller = new AbortController()
    const marker = `4444.${Date.now()}`
    const running = bench.run(`echo started; sleep ${marker}`, { signal: controller.signal })
    await expect
      .poll(() => existsSync(bench.logPath) && readFileSync(bench.logPath, 'utf8'))
      .toBe('started\n')
    controller.abort()
    expect(await running).toMatchObject({ ended: 'aborted', output: 'started\n' })
    expect(living(marker)).toBe(false)
  })

  it('names the signal that ended it', async () => {
    using bench = workbench(sandbox)
    expect(await bench.run('kill -SEGV $$')).toMatchObject({
      ended: 'signal',
      signal: 'SIGSEGV',
      exitCode: undefined,
    })
  })

  it('R5: records how it ended outside the sandbox, before anybody is told', async () => {
    using bench = workbench(sandbox)
    await bench.run('echo x; exit 7')
    expect(await readExitStatus(bench.statusPath)).toMatchObject({
      ended: 'exit',
      exitCode: 7,
      totalBytes: 2,
    })
    const forged = await bench.run(`echo '{}' > ${bench.statusPath}`)
    expect(forged.output).toContain('No such file or directory')
  })
})

describe('the broker', () => {
  it('is started again after it died, and the command it ran is reported as lost', async () => {
    const own = await realSandbox()
    using bench = workbench(own)
    const marker = `4545.${Date.now()}`
    const running = bench.run(`echo up; sleep ${marker}`)
    await expect.poll(() => existsSync(bench.logPath) && readFileSync(bench.logPath, 'utf8')).toBe('up\n')
    process.kill(brokerOf(marker), 'SIGKILL')
    await expect(running).rejects.toMatchObject({ code: 'sandbox.interrupted' })
    await expect.poll(() => living(marker)).toBe(false)
    expect(await bench.run('echo again')).toMatchObject({ output: 'again\n' })
    await own.close()
  })
})

describe('the death of the service', () => {
  it('R4: SIGKILL of the service ends its commands, and the record says so', async () => {
    using bench = workbench(sandbox)
    const marker = `4747.${Date.now()}`
    const program = fileURLToPath(new URL('./doomed-service.ts', import.meta.url))
    const args = [program, bench.workspace, bench.logPath, bench.statusPath, `echo up; sleep ${marker}`]
    const service = spawn(process.execPath, args, { stdio: 'ignore', env: {} })
    await expect
      .poll(() => existsSync(bench.logPath) && readFileSync(bench.logPath, 'utf8'), { timeout: 15_000 })
      .toBe('up\n')
    await expect.poll(() => living(`sleep\0${marker}`), { timeout: 15_000 }).toBe(true)
    service.kill('SIGKILL')
    await expect.poll(() => living(`sleep\0${marker}`), { timeout: 5_000 }).toBe(false)
    await expect
      .poll(() => readExitStatus(bench.statusPath), { timeout: 5_000 })
      .toMatchObject({ ended: 'aborted' })
  })
})
