import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type ProgramSandbox } from '../../../../src/sandbox/index.ts'
import type { TerminalView } from '../../../../src/workbench/terminals/terminals.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { TEST_LIMITS } from '../../sandbox/real-sandbox.ts'
import { openWorkbench, type WorkbenchBench } from '../bench.ts'

const TIMEOUT = 60_000
const confined = (): Promise<ProgramSandbox> =>
  createSandbox(TEST_LIMITS, { logger: createCollectingLogger() })

let bench: WorkbenchBench
beforeEach(async () => {
  bench = await openWorkbench({ sandbox: await confined() })
})
afterEach(() => bench.close())

const open = async (wanted: { folder?: string; command?: string } = {}): Promise<TerminalView> =>
  bench.workbench.terminals.create(bench.a, await bench.workspaceId(), {
    ...{ name: 'shell', workingDirectory: wanted.folder ?? '.', command: wanted.command },
  })
const text = async (id: string): Promise<string> =>
  (await bench.workbench.terminals.read(bench.a, id, 'text', 100_000)).data
const shows = (id: string, words: RegExp) => expect.poll(() => text(id), { timeout: TIMEOUT }).toMatch(words)
const type = (id: string, line: string) => bench.workbench.terminals.write(bench.a, id, `${line}\r`)
const root = async (): Promise<string> =>
  (await bench.workbench.workspaces.find(bench.a, await bench.workspaceId())).folder
const code = (value: string) => expect.objectContaining({ code: `workbench.${value}` })

describe('a terminal in the sandbox', { timeout: TIMEOUT * 2 }, () => {
  it('is a terminal of 120 by 30 as an ordinary user, with what was typed before still in force', async () => {
    const { id, live } = await open()
    expect(live).toBe(true)
    await type(id, 'cd /tmp; x=6; echo "size $(stty size) $(tty) $TERM uid=$(id -u)"')
    await shows(id, /^size 30 120 \/dev\/pts\/0 xterm-256color uid=(?!0$)\d+/m)
    await type(id, 'echo $((x*7)) in $PWD')
    await shows(id, /^42 in \/tmp/m)
  })

  it('takes keys: an interrupt ends what runs, the shell stays', async () => {
    const { id } = await open({ command: 'sleep 1000' })
    await shows(id, /sleep 1000/)
    await bench.workbench.terminals.write(bench.a, id, '\u0003')
    await type(id, 'echo still-$((40+2))')
    await shows(id, /^still-42/m)
  })

  it('S: sees neither the network, nor the host, nor start-up files of the workspace', async () => {
    const workspace = await root()
    for (const name of ['.bashrc', '.bash_profile', '.profile'])
      writeFileSync(join(workspace, name), 'echo STARTED-$((1+1))\n')
    const { id } = await open()
    await type(id, 'ls /home /root; head -c1 /etc/shadow; : </dev/tcp/127.0.0.1/1; echo "end=$?"')
    await shows(id, /^end=1/m)
    expect(await text(id)).not.toContain('STARTED-2')
    expect(await text(id)).toMatch(/Network is unreachable|Connection refused/)
  })

  it('the snapshot has a sequence that rises, and both formats', async () => {
    const { id } = await open()
    const before = await bench.workbench.terminals.read(bench.a, id, 'ansi', 20_000)
    await type(id, 'printf "\\033[31mred\\033[0m\\n"')
    await shows(id, /^red$/m)
    const after = await bench.workbench.terminals.read(bench.a, id, 'ansi', 20_000)
    expect(after.sequence).toBeGreaterThan(before.sequence)
    expect(after).toMatchObject({ live: true, runtimeRevision: 1, truncated: false })
    expect(after.data).toContain('\x1b[31mred\x1b[0m')
    const short = await bench.workbench.terminals.read(bench.a, id, 'text', 5)
    expect(short.data.length).toBeLessThanOrEqual(5)
    expect(short.truncated).toBe(true)
  })

  it('a flood is taken at a bounded pace and leaves the service answering', async () => {
    const { id } = await open({ command: 'yes' })
    await expect
      .poll(async () => (await bench.workbench.terminals.read(bench.a, id, 'text', 10)).sequence, {
        timeout: TIMEOUT,
      })
      .toBeGreaterThan(400_000)
    const held = await bench.workbench.terminals.read(bench.a, id, 'text', 10)
    // The clock stands still: no second window opens, so no more is taken than one holds.
    expect(held.sequence).toBeLessThan(700_000)
    await bench.workbench.terminals.close(bench.a, id)
  })
})

describe('rules', { timeout: TIMEOUT * 2 }, () => {
  it('an exit ends it: it can be read, not written, and is told as ended', async () => {
    const { id } = await open({ command: 'echo bye-$((1+1)); exit' })
    await expect
      .poll(() => bench.workbench.terminals.find(bench.a, id), { timeout: TIMEOUT })
      .toMatchObject({ live: false, reason: 'exit' })
    expect(await bench.workbench.terminals.read(bench.a, id, 'text', 20_000)).toMatchObject({
      ...{ live: false, runtimeRevision: 2, data: expect.stringContaining('bye-2') },
    })
    await expect(type(id, 'ls')).rejects.toEqual(code('terminal_ended'))
  })

  it('close ends it and takes it off the list and off tasks that preferred it', async () => {
    const { id } = await open()
    const task = await bench.workbench.board.create(bench.a, await bench.workspaceId(), '.', {
      ...{ title: 't', agentType: 'opencode', preferredTerminalId: id },
    })
    await bench.workbench.terminals.close(bench.a, id)
    expect(await bench.workbench.terminals.list(bench.a)).toEqual([])
    await expect(text(id)).rejects.toEqual(code('terminal_not_found'))
    const { tasks } = await bench.workbench.board.list(bench.a, await bench.workspaceId())
    expect(tasks).toMatchObject([{ id: task.id, preferredTerminalId: null }])
  })

  it('one that nobody used is closed', async () => {
    const { id } = await open()
    await bench.clock.advance(29 * 60_000)
    await text(id)
    await bench.clock.advance(29 * 60_000)
    await bench.workbench.terminals.sweep()
    expect((await bench.workbench.terminals.find(bench.a, id)).live).toBe(true)
    await bench.clock.advance(31 * 60_000)
    await bench.workbench.terminals.sweep()
    expect(await bench.workbench.terminals.find(bench.a, id)).toMatchObject({ live: false, reason: 'idle' })
  })

  it('no more than configured in a workspace', async () => {
    for (let i = 0; i < 4; i++) await open()
    await expect(open()).rejects.toEqual(code('terminal_limit'))
    expect(await bench.workbench.terminals.list(bench.a)).toHaveLength(4)
  })

  it('S10: a folder outside is refused, by name and through a link, and leaves no record', async () => {
    const workspace = await root()
    mkdirSync(join(workspace, 'sub'))
    symlinkSync('/etc', join(workspace, 'link'))
    for (const folder of ['..', '/etc', 'link'])
      await expect(open({ folder })).rejects.toEqual(code('folder_outside'))
    await expect(open({ folder: 'none' })).rejects.toEqual(code('folder_not_found'))
    expect(await bench.workbench.terminals.list(bench.a)).toEqual([])
    expect((await open({ folder: 'sub' })).workingDirectory).toBe('sub')
  })

  it('T1: a terminal of another chat is not found, like one that never existed', async () => {
    const { id } = await open()
    const { terminals } = bench.workbench
    for (const one of [id, 'term_none']) {
      await expect(terminals.read(bench.b, one, 'text', 10)).rejects.toEqual(code('terminal_not_found'))
      await expect(terminals.write(bench.b, one, 'x')).rejects.toEqual(code('terminal_not_found'))
      await expect(terminals.close(bench.b, one)).rejects.toEqual(code('terminal_not_found'))
    }
    expect(await terminals.list(bench.b)).toEqual([])
    await expect(terminals.list(bench.b, await bench.workspaceId(bench.a))).rejects.toEqual(
      code('workspace_not_found'),
    )
  })

  it('R: after a crash it is told as lost', async () => {
    const { id } = await open()
    bench = await bench.reborn()
    await bench.workbench.start()
    expect(await bench.workbench.terminals.find(bench.a, id)).toMatchObject({
      live: false,
      reason: 'crashed',
    })
    await expect(type(id, 'ls')).rejects.toEqual(code('terminal_ended'))
  })
})

it('a start that fails leaves no record', async () => {
  await bench.close()
  const sandbox = await confined()
  const broken: ProgramSandbox = {
    ...sandbox,
    spawn: (program) => sandbox.spawn({ ...program, argv: ['/usr/bin/false'] }),
  }
  bench = await openWorkbench({ sandbox: broken })
  await expect(open()).rejects.toMatchObject({ code: 'sandbox.unavailable' })
  expect(await bench.workbench.terminals.list(bench.a)).toEqual([])
})

it('M11: a remote caller sees the workspaces that are named for it, and no others', async () => {
  await bench.close()
  bench = await openWorkbench({
    alsoSees: (session) => (session === 'mcp:laptop' ? [{ botId: 'ops', chatId: 'oc_a' }] : []),
  })
  const laptop = { ...bench.b, sessionId: 'mcp:laptop' }
  const seen = (await bench.workbench.workspaces.visible(laptop)).map((one) => one.sessionId)
  expect(seen).toEqual(['mcp:laptop', bench.a.sessionId])
  const other = (await bench.workbench.workspaces.visible({ ...laptop, sessionId: 'mcp:other' })).length
  expect(other).toBe(1)
})
