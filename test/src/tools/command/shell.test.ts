import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import { recoverShellResult } from '../../../../src/tools/command/recovery.ts'
import { builtinTools, createToolRegistry } from '../../../../src/tools/index.ts'
import { REDIRECTING_VARIABLES } from '../../../support/redirecting-variables.ts'
import { realSandbox } from '../../sandbox/real-sandbox.ts'
import { errorOf, type ToolBench, textOf, toolBench } from '../bench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

async function bind(bench: ToolBench, args: object): Promise<unknown> {
  const registry = createToolRegistry(builtinTools())
  const parsed = registry.parse({ id: 'x', name: 'shell', arguments: JSON.stringify(args) })
  if (!parsed.ok) return parsed
  return await registry.bind(parsed.tool, parsed.args, bench.context())
}

describe('the bound call', () => {
  it('I2: holds the exact command, the real directory with its identity, the environment and the sandbox', async () => {
    using bench = toolBench({ sandbox })
    mkdirSync(join(bench.workspace, 'sub'))
    symlinkSync('sub', join(bench.workspace, 'alias'))
    const command = 'echo "a  b" \\\n  # 注释'
    expect(await bind(bench, { command, cwd: 'alias', env: { CI: '1' }, timeout_ms: 5_000 })).toMatchObject({
      ok: true,
      bound: {
        tool: 'shell',
        command,
        cwd: join(bench.workspace, 'sub'),
        cwdId: expect.stringMatching(/^\d+:\d+$/),
        env: { CI: '1' },
        timeoutMs: 5_000,
        sandboxProfile: expect.stringContaining('bubblewrap network=none'),
      },
    })
  })

  it('S10: a working directory outside the workspace is refused', async () => {
    using bench = toolBench({ sandbox })
    symlinkSync('/etc', join(bench.workspace, 'etc'))
    for (const cwd of ['..', '/etc', 'etc', 'none'])
      expect(await bind(bench, { command: 'ls', cwd })).toMatchObject({ ok: false })
  })

  it.each([
    ...REDIRECTING_VARIABLES,
    'PYTHONSTARTUP',
    'PERL5LIB',
    'GIT_DIR',
    'RUSTUP_TOOLCHAIN',
    'npm_config_registry',
    'HOME',
    'SHELLOPTS',
    'bad-name',
  ])('S6: refuses the variable %s', async (name) => {
    using bench = toolBench({ sandbox })
    expect(await bind(bench, { command: 'ls', env: { [name]: 'x' } })).toMatchObject({
      ok: false,
      error: { type: 'refused' },
    })
  })

  it('S16: without a sandbox nobody is asked to approve; the model hears what is missing', async () => {
    using bench = toolBench()
    expect(await bind(bench, { command: 'ls' })).toMatchObject({
      ok: false,
      error: { type: 'unavailable', hint: 'install bubblewrap' },
    })
  })
})

describe('a git command that writes', () => {
  const repositories = (bench: ToolBench): void => {
    for (const path of ['.git', 'other/.git', 'src'])
      mkdirSync(join(bench.workspace, path), { recursive: true })
  }

  it.each([
    'cd other && git commit -m x',
    'git -C other push',
    'git -C "other" -c a=b reset --hard',
    '(cd other; git clean -fd)',
    'git -C /srv/repo tag v1',
  ])('in another repository is refused: %s', async (command) => {
    using bench = toolBench({ sandbox })
    repositories(bench)
    expect(await bind(bench, { command })).toMatchObject({ ok: false, error: { type: 'refused' } })
  })

  it.each([
    'git commit -m x',
    'cd src && git commit -m x',
    'git -C src add . && git commit -m "cd other"',
    'cd other && git log',
    'git -C other status',
  ])('in its own repository, or one that only reads, is not: %s', async (command) => {
    using bench = toolBench({ sandbox })
    repositories(bench)
    expect(await bind(bench, { command })).toMatchObject({ ok: true })
  })

  it('is allowed in the other repository when cwd names it', async () => {
    using bench = toolBench({ sandbox })
    repositories(bench)
    expect(await bind(bench, { command: 'git commit -m x', cwd: 'other' })).toMatchObject({ ok: true })
  })
})

describe('the result', () => {
  it('gives output and exit code; a command that failed is still a result', async () => {
    using bench = toolBench({ sandbox })
    expect(await bench.call('shell', { command: 'echo out; exit 3' })).toMatchObject({
      ok: true,
      text: expect.stringMatching(/^out\n\[exit code 3, \d\.\d s\]$/),
      data: { exitCode: 3 },
    })
    expect(textOf(await bench.call('shell', { command: 'true' }))).toMatch(/^\(no output\)\n\[exit code 0/)
  })

  it('S13: a long output is cut once, and the whole of it can be read and searched', async () => {
    using bench = toolBench({ sandbox })
    const text = textOf(await bench.call('shell', { command: 'seq 1 30000' }))
    expect(text.length).toBeLessThanOrEqual(8_192)
    expect(text).toMatch(/^1\n2\n[\s\S]*29999\n30000\n\[exit code 0/)
    expect(text).toContain('whole output (168894 bytes)')
    const name = /output:[0-9a-f]{16}\.log/.exec(text)?.[0] ?? ''
    expect(
      textOf(await bench.call('read_file', { path: name, start_line: 15_000, end_line: 15_000 })),
    ).toMatch(/^15000: 15000\n/)
    expect(textOf(await bench.call('grep', { path: name, pattern: '29998' }))).toContain(':29998: 29998')
  })

  it('S12, S14, S15: says what ended it and what to do', async () => {
    using bench = toolBench({ sandbox })
    expect(
      errorOf(await bench.call('shell', { command: 'echo a; sleep 9', timeout_ms: 1_000 })),
    ).toMatchObject({
      type: 'timeout',
      message: expect.stringMatching(/^a\n\[stopped at its time limit after/),
      hint: expect.stringContaining('timeout_ms'),
    })
    expect(errorOf(await bench.call('shell', { command: 'head -c 40M /dev/zero > f' })).message).toContain(
      'stopped at the file-size limit',
    )
    expect(textOf(await bench.call('shell', { command: 'printf "Sure? [y/N] "; read a' }))).toContain(
      'needed input',
    )
  })

  it('S18: refuses when the directory was exchanged after the approval', async () => {
    using bench = toolBench({ sandbox })
    mkdirSync(join(bench.workspace, 'a'))
    mkdirSync(join(bench.workspace, 'b'))
    const swap = (): void => {
      renameSync(join(bench.workspace, 'a'), join(bench.workspace, 'old'))
      renameSync(join(bench.workspace, 'b'), join(bench.workspace, 'a'))
    }
    const result = await bench.call('shell', { command: 'touch ran', cwd: 'a' }, swap)
    expect(errorOf(result).message).toContain('not the one that was approved')
  })

  it('R5: is found again after a crash, in the same words', async () => {
    using bench = toolBench({ sandbox })
    const [tool] = builtinTools()
    const ctx = bench.context('call-x')
    const args = { command: 'echo 结果; exit 5', cwd: '.', timeout_ms: 5_000, env: {} }
    const bound = await tool?.bind?.(args, ctx)
    if (!tool || !bound) throw new Error('no tool')
    const result = await tool.run(args, ctx, new AbortController().signal, bound)
    expect(await recoverShellResult({ privateDir: bench.privateDir, callId: 'call-x' })).toEqual(result)
    expect(await recoverShellResult({ privateDir: bench.privateDir, callId: 'call-y' })).toBeUndefined()
  })
})
