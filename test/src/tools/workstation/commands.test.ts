import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createAccess } from '../../../../src/policy/access.ts'
import { createCommandAnalyser } from '../../../../src/policy/command/analysis.ts'
import { createPolicy, type PolicyAnswer } from '../../../../src/policy/policy.ts'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import { createToolCatalogue } from '../../../../src/tools/catalogue.ts'
import { createToolRegistry } from '../../../../src/tools/index.ts'
import { realSandbox } from '../../sandbox/real-sandbox.ts'
import { errorOf, textOf } from '../bench.ts'
import { type Workbench, workbench } from './workbench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

async function idOf(bench: Workbench, command: string, more: object = {}): Promise<string> {
  const result = await bench.call('start_command', { command, ...more })
  return /^Started (job-[a-z]+)\./.exec(textOf(result))?.[1] ?? expect.fail('no id')
}
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** What the policy says about one call, with these rules. */
async function judge(
  name: string,
  args: object,
  approval: object = {},
  requester: 'feishu:ou_1' | 'unknown:x' = 'feishu:ou_1',
): Promise<PolicyAnswer> {
  using bench = workbench({ sandbox })
  const config = configSchema.parse({ approval })
  const registry = createToolRegistry(bench.tools)
  const parsed = registry.parse({ id: '1', name, arguments: JSON.stringify(args) })
  if (!parsed.ok) expect.fail(parsed.error.message)
  const ctx = bench.context()
  const bind = await registry.bind(parsed.tool, parsed.args, ctx)
  if (!bind.ok) expect.fail(bind.error.message)
  const { bound } = bind
  const place = { cwd: bench.workspace, workspace: bench.workspace }
  const analysis =
    bound.command === undefined ? undefined : await createCommandAnalyser().analyse(bound.command, place)
  return createPolicy(config, createAccess(config)).judge({
    ...{ tool: name, risk: parsed.tool.risk, bound, analysis, requester, address: ctx.address },
    ...{ workspace: bench.workspace, grants: [], tainted: false, now: 0 },
  })
}

describe('run_command', () => {
  it('article 18: command, folder, time limit, variables, cap of output', async () => {
    using bench = workbench({ sandbox })
    bench.put('sub/file', 'x')
    const call = { command: 'pwd; echo $NAME; ls', cwd: 'sub', timeout_ms: 5_000, env: { NAME: '值' } }
    expect(textOf(await bench.call('run_command', call))).toMatch(
      new RegExp(`^${join(bench.workspace, 'sub')}\n值\nfile\n\\[exit code 0`),
    )
  })

  it('article 19: ends after 30 seconds unless told otherwise', async () => {
    using bench = workbench({ sandbox })
    const registry = createToolRegistry(bench.tools)
    const parsed = registry.parse({ id: '1', name: 'run_command', arguments: '{"command":"sleep 99"}' })
    if (!parsed.ok) expect.fail('not parsed')
    const bind = await registry.bind(parsed.tool, parsed.args, bench.context())
    expect(bind).toMatchObject({ ok: true, bound: { timeoutMs: 30_000 } })
    const result = await bench.call('run_command', { command: 'sleep 99', timeout_ms: 1_000 })
    expect(errorOf(result)).toMatchObject({ type: 'timeout', hint: expect.stringContaining('timeout_ms') })
  })

  it('article 20: output over the cap is cut, marked, and kept whole', async () => {
    using bench = workbench({ sandbox })
    const text = textOf(await bench.call('run_command', { command: 'seq 1 2000', max_output: 200 }))
    expect(text).toMatch(
      /^1\n2\n[\s\S]*… \d+ characters left out; the whole output is in "output:[0-9a-f]+\.log"[\s\S]*2000\n\[exit code 0/,
    )
    expect(text.length).toBeLessThan(400)
    const name = /"(output:[^"]+)"/.exec(text)?.[1]
    expect(textOf(await bench.call('read_file', { path: name, start_line: 1_000, line_count: 1 }))).toContain(
      '1000: 1000',
    )
  })
})

describe('authority', () => {
  it.each(['run_command', 'start_command'])(
    'article 21: %s: wiping is refused always, other dangers ask a person and are named',
    async (name) => {
      const dangers: [string, string][] = [
        ['mkfs.ext4 /dev/sda1', 'disk'],
        ['rm -rf build', 'deletes'],
        ['chmod -R 777 .', 'permissions'],
        ['sudo true', 'privilege'],
      ]
      for (const mode of ['ask', 'never'])
        expect(await judge(name, { command: 'rm -rf /' }, { mode })).toMatchObject({
          effect: 'deny',
          rule: 'builtin:wipe',
        })
      for (const [command, code] of dangers) {
        const answer = await judge(name, { command })
        expect(answer.effect, command).toBe('ask')
        expect(
          answer.findings.map((one) => one.code),
          command,
        ).toContain(code)
      }
    },
  )

  it('article 31: the server decides: a stranger may neither see nor use what changes things', async () => {
    using bench = workbench({ sandbox })
    const tools = createToolCatalogue([{ tools: () => bench.tools }])
    const seen = tools
      .forSession({ botId: 'b', platform: 'feishu', mayOperate: false })
      .map((tool) => tool.name)
    for (const name of ['run_command', 'start_command', 'stop_command', 'write_file'])
      expect(seen).not.toContain(name)
    const answer = await judge('write_file', { path: 'a', content: 'x' }, { mode: 'never' }, 'unknown:x')
    expect(answer).toMatchObject({ effect: 'deny', rule: 'builtin:operate' })
  })

  it('article 32: a list of allowed commands: what is not on it asks; rules for shell hold under every name', async () => {
    const rules = [{ effect: 'allow', tool: 'shell', program: 'ls' }]
    expect(await judge('run_command', { command: 'ls -l' }, { rules })).toMatchObject({ effect: 'allow' })
    expect(await judge('run_command', { command: 'ls; id' }, { rules })).toMatchObject({ effect: 'ask' })
    expect(await judge('run_command', { command: 'id' }, { rules })).toMatchObject({ effect: 'ask' })
    for (const tool of ['shell', 'run_command', 'start_command']) {
      const deny = [{ effect: 'deny', tool, program: 'curl' }]
      const asked = tool === 'start_command' ? 'start_command' : 'run_command'
      expect(await judge(asked, { command: 'curl x' }, { rules: deny, mode: 'never' })).toMatchObject({
        effect: 'deny',
      })
    }
    const deny = [{ effect: 'deny', tool: 'shell', program: 'curl' }]
    expect(await judge('start_command', { command: 'curl x' }, { rules: deny, mode: 'never' })).toMatchObject(
      {
        effect: 'deny',
      },
    )
    expect(await judge('start_command', { command: 'ls' }, { rules })).toMatchObject({ effect: 'ask' })
  })

  it('article 33: what has an effect beyond the workspace asks first; what only reads does not', async () => {
    expect((await judge('run_command', { command: 'id' })).effect).toBe('ask')
    expect((await judge('start_command', { command: 'id' })).effect).toBe('ask')
    expect((await judge('write_file', { path: 'a', content: '' })).effect).toBe('allow')
    for (const name of [
      'list_directory',
      'list_processes',
      'system_status',
      'environment_now',
      'command_status',
    ])
      expect((await judge(name, {})).effect, name).toBe('allow')
  })
})

describe('background commands', () => {
  it('article 25: an id at once; another tool tells how it goes and can wait for its end', async () => {
    using bench = workbench({ sandbox })
    const id = await idOf(bench, 'echo begun; read -t 0.3 <> <(:); echo done; exit 3')
    expect(textOf(await bench.call('command_status', { id }))).toMatch(/^job-[a-z]+: running for/)
    const end = await bench.call('command_status', { id, wait_ms: 20_000 })
    expect(textOf(end)).toMatch(/: exit code 3 after [\d.]+ s \(11 bytes of output\)\nbegun\ndone$/)
    expect(end).toMatchObject({ data: { id, state: 'ended', exit_code: 3 } })
    expect(textOf(await bench.call('command_status', {}))).toMatch(
      /1 background commands in total[\s\S]*exit code 3/,
    )
    // Whoever waited has seen the end: the chat is not told again.
    expect(bench.ended).toEqual([])
  })

  it('outlives its call and its pages of output are read like any file', async () => {
    using bench = workbench({ sandbox })
    const id = await idOf(bench, 'seq 1 5000; echo made > made.txt')
    await until(() => bench.ended.length === 1)
    expect(bench.ended[0]).toMatchObject({
      sessionId: 's1',
      requester: 'feishu:ou_1',
      job: { id, end: { exitCode: 0 } },
    })
    expect(bench.get('made.txt')).toBe('made\n')
    const text = textOf(await bench.call('command_status', { id, lines: 2 }))
    expect(text).toMatch(
      /\n4999\n5000\n\(only the newest lines; all of it: read_file or grep with path "output:/,
    )
    const name = /"(output:[^"]+)"/.exec(text)?.[1]
    expect(textOf(await bench.call('read_file', { path: name, start_line: 2_500, line_count: 1 }))).toContain(
      '2500: 2500',
    )
  })

  it('S11: is listed, ended with everything it started, and never more than four at once', async () => {
    using bench = workbench({ sandbox })
    const ids = []
    for (let i = 0; i < 4; i++)
      ids.push(await idOf(bench, `(while :; do sleep 0.1; date > beat-${i}; done) & sleep 99`))
    const fifth = await bench.call('start_command', { command: 'true' })
    expect(errorOf(fifth)).toMatchObject({ type: 'limit', hint: expect.stringContaining('stop_command') })
    await until(() => existsSync(join(bench.workspace, 'beat-0')))
    expect(textOf(await bench.call('stop_command', { id: ids[0] }))).toMatch(/stopped on request after/)
    const beat = bench.get('beat-0')
    expect(textOf(await bench.call('stop_command', { id: ids[0] }))).toMatch(
      /had ended already: stopped on request/,
    )
    await idOf(bench, 'sleep 99')
    await bench.jobs.endSession('s1')
    expect(bench.get('beat-0')).toBe(beat)
    expect(textOf(await bench.call('command_status', {}))).not.toContain('running')
    expect(bench.ended).toEqual([])
  })

  it('ends at its own time limit, with the limit named', async () => {
    using bench = workbench({ sandbox })
    const registry = createToolRegistry(bench.tools)
    const parsed = registry.parse({
      id: '1',
      name: 'start_command',
      arguments: '{"command":"x","timeout_minutes":5}',
    })
    if (!parsed.ok) expect.fail('not parsed')
    const bind = await registry.bind(parsed.tool, parsed.args, bench.context())
    expect(bind).toMatchObject({ ok: true, bound: { tool: 'start_command', timeoutMs: 300_000 } })
  })

  it('is told as lost after the service died under it, and stopping the service ends it', async () => {
    const before = workbench({ sandbox })
    const id = await idOf(before, 'sleep 99')
    await before.jobs.close()
    expect(textOf(await before.call('command_status', { id }))).toMatch(/stopped with the service after/)
    expect(errorOf(await before.call('start_command', { command: 'true' })).type).toBe('unavailable')
    // A record without an end is what a killed service leaves.
    const { writeRecord } = await import('../../../../src/tools/workstation/job-record.ts')
    await writeRecord(before.privateDir, {
      ...{ id: 'job-lost', command: 'sleep 99', cwd: '.', requester: 'feishu:ou_1', startedAt: 0 },
    })
    expect(textOf(await before.call('command_status', { id: 'job-lost' }))).toMatch(
      /^job-lost: lost: the service stopped/,
    )
    before[Symbol.dispose]()
  })

  it('is not run when its record cannot be written, and takes no place', async () => {
    using bench = workbench({ sandbox })
    rmSync(bench.privateDir, { recursive: true })
    writeFileSync(bench.privateDir, '')
    for (let i = 0; i < 5; i++) {
      const result = await bench.call('start_command', { command: 'echo x > made.txt' })
      expect(errorOf(result)).toMatchObject({ type: expect.stringMatching(/not_found|failed/) })
    }
    expect(existsSync(join(bench.workspace, 'made.txt'))).toBe(false)
  })

  it('T1: a session sees only its own commands', async () => {
    using one = workbench({ sandbox })
    using two = workbench({ sandbox })
    const id = await idOf(one, 'true')
    for (const [name, wrong] of [
      ['command_status', id],
      ['stop_command', id],
      ['command_status', '../../../etc/passwd'],
    ] as const)
      expect(errorOf(await two.call(name, { id: wrong })).type).toBe('not_found')
    await one.jobs.close()
  })
})
