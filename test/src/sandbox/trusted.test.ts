import { readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { realSandbox, workbench } from './real-sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

type Program = Parameters<NonNullable<Sandbox['runTrusted']>>[0]

async function run(
  argv: Program['argv'],
  more: Partial<Program> = {},
  signal = new AbortController().signal,
) {
  using bench = workbench(sandbox)
  const outputPath = `${bench.privateDir}/out`
  const program = {
    argv,
    cwd: bench.workspace,
    outputPath,
    outputBytes: 1_000_000,
    timeoutMs: 20_000,
    ...more,
  }
  const end = await sandbox.runTrusted?.(program, signal)
  return { ...end, output: readFileSync(outputPath, 'utf8'), mode: statSync(outputPath).mode & 0o777 }
}

describe('a program of the service’s own, started by the broker', () => {
  it('gets its arguments unread by any shell, and nothing of the environment', async () => {
    const { code, output, mode } = await run(['/usr/bin/printf', '%s|', '$HOME', "a'b", '; id', 'x y'])
    expect({ code, output, mode }).toEqual({ code: 0, output: "$HOME|a'b|; id|x y|", mode: 0o600 })
    const env = await run(['/usr/bin/env'])
    expect(env.output).not.toMatch(/HOME=|PATH=\/root|npm_/)
  })

  it('tells its exit code and its complaint', async () => {
    const end = await run(['/bin/sh', '-c', 'echo no luck >&2; exit 2'])
    expect(end).toMatchObject({ code: 2, complaint: 'no luck\n', output: '' })
  })

  it('is killed when it writes too much, takes too long, or is not wanted any more', async () => {
    const much = await run(['/bin/sh', '-c', 'while :; do echo xxxxxxxxxxxxxxxx; done'], {
      outputBytes: 65_536,
    })
    expect(much.code).toBeUndefined()
    expect(much.output.length).toBeLessThanOrEqual(65_536)
    expect((await run(['/bin/sleep', '99'], { timeoutMs: 200 })).code).toBeUndefined()
    const stop = new AbortController()
    const stopped = run(['/bin/sleep', '99'], {}, stop.signal)
    stop.abort()
    // Stopped before the broker was asked, or killed by it.
    await stopped.then(
      (end) => expect(end.code).toBeUndefined(),
      (error) => expect(error).toMatchObject({ name: 'AbortError' }),
    )
  })

  it('that does not exist is a failure', async () => {
    expect(await run(['/no/such/program'])).toMatchObject({
      code: 127,
      complaint: expect.stringContaining('not found'),
    })
  })
})
