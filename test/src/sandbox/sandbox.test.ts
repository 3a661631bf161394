import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { createSandbox, readExitStatus } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { realSandbox, TEST_LIMITS, workbench } from './real-sandbox.ts'

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

/** True while some process has `marker` in its command line. */
function living(marker: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker)
    } catch {
      // Ended between listing and reading.
      return false
    }
  })
}

describe('a command', () => {
  it('runs in the workspace and its output, exit code and files come back', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('pwd; echo 错误 >&2; echo data > made; exit 3')
    expect(result).toMatchObject({
      ended: 'exit',
      exitCode: 3,
      output: `${bench.workspace}\n错误\n`,
      omittedBytes: 0,
    })
    expect(readFileSync(join(bench.workspace, 'made'), 'utf8')).toBe('data\n')
  })

  it('may open its standard output and error again', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('echo one > /dev/stdout; echo two > /dev/stderr')
    expect(result.output).toBe('one\ntwo\n')
  })

  it('gets exactly the fixed environment and what the call adds', async () => {
    using bench = workbench(sandbox)
    const result = await bench.run('env | cut -d= -f1 | sort | tr "\\n" " "', { env: { CI: '1' } })
    expect(result.output.trim()).toBe('CI HOME LANG PATH PWD SHLVL TERM TZ _')
  })

  it('finds no descriptor of ours beside its three', async () => {
    using bench = workbench(sandbox)
    const { output } = await bench.run('ls -l /proc/self/fd | tail -n +2 | sed "s/.* -> //"')
    const targets = output
      .trim()
      .split('\n')
      .map((target) => target.replace(/\d+/g, 'N'))
    expect(
      targets.filter(
        (target) =>
          !/^(?:\/dev\/null|pipe:\[N\]|\/proc\/N\/fd|\/tmp\/yizhan-pipes-.*\(deleted\))$/.test(target),
      ),
    ).toEqual([])
  })

  it('S10: starts fresh each time: no variable, function or directory of an earlier call', async () => {
    using bench = workbench(sandbox)
    await bench.run('cd /tmp; export LEFT=1; f() { :; }; touch /tmp/left')
    const result = await bench.run('pwd; echo "[$LEFT]"; type f; ls /tmp')
    expect(result.output).toContain(`${bench.workspace}\n[]\n`)
    expect(result.output).toContain('f: not found')
    expect(result.output).not.toContain('left')
  })
})

it('knows its own user by name', async () => {
  using bench = workbench(sandbox)
  expect((await bench.run('whoami; id -gn')).output).toBe('sandbox\nsandbox\n')
})

it('many commands at once do not mix', async () => {
  const benches = Array.from({ length: 8 }, () => workbench(sandbox))
  const results = await Promise.all(
    benches.map((bench, index) => bench.run(`echo ${index}; sleep 0.2; echo ${index}`)),
  )
  expect(results.map((result) => result.output)).toEqual(benches.map((_, index) => `${index}\n${index}\n`))
  for (const bench of benches) bench[Symbol.dispose]()
})

it('network: host reaches the network of the machine, but no unix socket', async () => {
  const open = await realSandbox({ network: 'host' })
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = z.object({ port: z.int() }).parse(server.address())
  using bench = workbench(open)
  expect(
    (await bench.run(`cat < /dev/tcp/127.0.0.1/${port}; test -s /etc/resolv.conf && echo , names`)).output,
  ).toBe('hello, names\n')
  const unix = await bench.run(`perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0) or print "$!"'`)
  expect(unix.output).toBe('Address family not supported by protocol')
  expect(open.status().profile).toContain('network=host')
  server.close()
  await open.close()
})

describe('ownership', () => {
  const root = process.getuid?.() === 0

  it.runIf(root)('lets the sandbox change files that the service wrote', async () => {
    using bench = workbench(sandbox)
    mkdirSync(join(bench.workspace, 'in'), { mode: 0o700 })
    writeFileSync(join(bench.workspace, 'in', 'mail.txt'), 'a\n', { mode: 0o600 })
    const result = await bench.run('echo b >> in/mail.txt && cat in/mail.txt')
    expect(result.output).toBe('a\nb\n')
  })

  it.runIf(root)('S17: gives away no file that a link points to', async () => {
    using bench = workbench(sandbox)
    const outside = join(bench.privateDir, 'secret')
    writeFileSync(outside, 'secret', { mode: 0o600 })
    symlinkSync(outside, join(bench.workspace, 'link'))
    const result = await bench.run('cat link')
    expect(result.output).not.toContain('secret\n')
    expect(statSync(outside).uid).toBe(0)
  })

  it.runIf(root)('works below a folder that only the service may enter', async () => {
    using bench = workbench(sandbox, homedir())
    const result = await bench.run('echo here > f; cat f; ls -A ..')
    expect(result.output).toBe(`here\n${bench.workspace.split('/').at(-1)}\n`)
    expect(existsSync(join(bench.workspace, 'f'))).toBe(true)
  })
})

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

describe('K1: what the service knows', () => {
  it('is nowhere in a command’s sight: not in its environment, other processes, settings of git and npm, or a core', async () => {
    using bench = workbench(sandbox)
    process.env['YIZHAN_CANARY'] = 'canary-of-the-service'
    try {
      const looks = [
        'env',
        'set',
        'ps eww',
        'cat /proc/*/environ',
        'git config -l',
        'npm config ls',
        'ulimit -c',
      ]
      const { output } = await bench.run(looks.map((look) => `${look} 2>&1 | cat -v`).join('; '))
      expect(output).toContain('PATH=')
      expect(output).not.toContain('canary-of-the-service')
      expect(output.trimEnd().endsWith('\n0')).toBe(true)
    } finally {
      delete process.env['YIZHAN_CANARY']
    }
  })
})

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

describe('S14: input', () => {
  it('reading gets end of file at once', async () => {
    using bench = workbench(sandbox)
    expect(await bench.run('cat; read x || echo none')).toMatchObject({ exitCode: 0, output: 'none\n' })
  })

  it('a question nobody can answer is recognised', async () => {
    using bench = workbench(sandbox)
    const asked = await bench.run('printf "Do you want to continue? [Y/n] "; read answer')
    expect(asked).toMatchObject({ exitCode: 1, wantedInput: true })
    expect(await bench.run('ls /nothing')).toMatchObject({ wantedInput: false })
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
    expect(living(`sleep\0${marker}`)).toBe(true)
    service.kill('SIGKILL')
    await expect.poll(() => living(`sleep\0${marker}`), { timeout: 5_000 }).toBe(false)
    await expect
      .poll(() => readExitStatus(bench.statusPath), { timeout: 5_000 })
      .toMatchObject({ ended: 'aborted' })
  })
})

/** Parent of the outermost process of the command that holds `marker`: the broker. */
function brokerOf(marker: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
      if (line.includes(marker) && readFileSync(`/proc/${parent}/cmdline`, 'utf8').includes('broker-main'))
        return parent
    } catch {
      // Ended meanwhile.
    }
  }
  throw new Error('no broker found')
}

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
      output: 'HOME LANG PATH PWD SHLVL TERM TZ _ ',
    })
    await expect.poll(() => living(marker)).toBe(false)
    await open.close()
  })
})
