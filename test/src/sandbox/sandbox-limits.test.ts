import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { realSandbox, workbench } from './real-sandbox.ts'

/** True where the service may make control groups; elsewhere only limits per process hold. */
const groupsWritable = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup/cgroup.subtree_control'].some((path) => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
})

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

describe('S12: limits', () => {
  it('a fork bomb is held, ended, and named', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('for i in $(seq 200); do sleep 30 & done; wait', { timeoutMs: 3_000 })
    expect(result.limit).toBe('pids')
    expect(['limit', 'timeout']).toContain(result.ended)
  })

  it('a file stops growing at the limit, and the result says which limit', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('head -c 40M /dev/zero > big')
    expect(result).toMatchObject({ ended: 'limit', limit: 'file-size' })
    expect(statSync(join(bench.workspace, 'big')).size).toBe(16 * 1024 * 1024)
  })

  it('a memory hog is refused memory', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run(`perl -e 'my $x = "a" x 500000000; print length $x'`)
    expect(result).toMatchObject({ ended: 'limit', limit: 'memory' })
    expect(result.output).not.toContain('500000000')
  })

  it.runIf(groupsWritable)(
    'many processes share one memory limit where the machine has control groups',
    async () => {
      using bench = workbench(sandbox)
      const hog = `perl -e 'my $x = "a" x 90000000; sleep 5; print "sur"."vived\\n"'`
      const result = await bench.run(`for i in 1 2 3 4 5 6; do ${hog} & done; wait; exit 1`)
      expect(result.limit).toBe('memory')
      expect(result.output.split('survived').length - 1).toBeLessThan(6)
    },
  )

  it('busy loops of one session leave the service more than half of what it had', async () => {
    using bench = workbench(sandbox)
    /** Share of a processor that this process gets when it wants all of one. */
    const share = (): number => {
      const [started, before] = [performance.now(), process.cpuUsage()]
      while (performance.now() - started < 300);
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000 / (performance.now() - started)
    }
    const ratios: number[] = []
    for (let round = 0; round < 3 && Math.max(0, ...ratios) < 0.5; round++) {
      const alone = share()
      const stop = new AbortController()
      const hog = bench.run('for i in $(seq 30); do while :; do :; done & done; echo; wait', {
        timeoutMs: 10_000,
        signal: stop.signal,
      })
      // Only when they run is there anything to stand back.
      await new Promise((resolve) => setTimeout(resolve, 300))
      ratios.push(share() / alone)
      stop.abort()
      expect((await hog).ended).toBe('aborted')
    }
    expect(Math.max(...ratios)).toBeGreaterThan(0.5)
  })

  it('a command and what it starts stand back behind the service', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('nice; sh -c nice')
    expect(result.output).toBe('15\n15\n')
  })

  it('/tmp is the sandbox’s own, limited, and gone afterwards', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run(
      'head -c 15M /dev/zero > /tmp/a; head -c 15M /dev/zero > /tmp/b; ls /tmp | wc -l',
    )
    expect(result.output).toContain('No space left on device')
  })
})

describe('S13: output', () => {
  it('a flood is drained, kept as head and tail, and counted', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('echo first; yes | head -c 80000000; echo last', { outputBytes: 1_000 })
    expect(result).toMatchObject({ ended: 'exit', exitCode: 0, totalBytes: 80_000_011 })
    expect(result.output).toMatch(/^first\ny\n[\s\S]*bytes left out[\s\S]*y\nlast\n$/)
    expect(Buffer.byteLength(result.output)).toBeLessThan(1_100)
    expect(statSync(bench.logPath).size).toBe(50 * 1024 * 1024)
  })

  it('control codes are stripped and no character is cut in half', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run(
      `printf '\\033[31mred\\033[0m \\033]8;;http://x\\007link\\033]8;;\\007 10%%\\r100%%\\n\\000'; yes 汉 | head -c 4000 | tr -d '\\n'`,
      { outputBytes: 301 },
    )
    expect(result.output).toMatch(/^100%\n汉/)
    expect(result.output).not.toMatch(/[\u0000-\u0009\u001b\ufffd]/)
  })
})
