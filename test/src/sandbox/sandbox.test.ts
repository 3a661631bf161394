import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { realSandbox, workbench } from './real-sandbox.ts'

/** What every command gets for git (S18), as `env` names it. */
const GIT =
  'GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_KEY_1 GIT_CONFIG_KEY_2 GIT_CONFIG_VALUE_0 GIT_CONFIG_VALUE_1 GIT_CONFIG_VALUE_2'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

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
    expect(result.output.trim()).toBe(`CI ${GIT} HOME LANG PATH PWD SHLVL TERM TZ _`)
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
