import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import { createEnvironmentStatic } from '../../../../src/tools/workstation/environment-static.ts'
import { createManualClock } from '../../../support/clock.ts'
import { realSandbox } from '../../sandbox/real-sandbox.ts'
import { textOf, toolBench } from '../bench.ts'
import { workbench } from './workbench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

describe('the environment tools', () => {
  it('article 22: system, working directory, variables, available commands', async () => {
    using bench = workbench({ sandbox })
    expect(await bench.call('environment_static', {})).toMatchObject({
      ok: true,
      data: {
        os: expect.stringMatching(/\w/),
        kernel: expect.stringMatching(/^\d/),
        architecture: process.arch,
        commands: expect.arrayContaining(['bash', 'sed']),
        commands_missing: expect.any(Array),
        sandbox: expect.stringContaining('bubblewrap'),
      },
    })
    expect(await bench.call('environment_now', {})).toMatchObject({
      ok: true,
      data: {
        working_directory: bench.workspace,
        environment_variables: { HOME: bench.workspace, LANG: 'C.UTF-8', TZ: 'Asia/Shanghai' },
      },
    })
  })

  it('K: the variables are those that a command really has; none of the service is among them', async () => {
    using bench = workbench({ sandbox })
    process.env['YIZHAN_TEST_SECRET'] = 'hunter2hunter2'
    const now = textOf(await bench.call('environment_now', {}))
    const shown = JSON.stringify(JSON.parse(now).environment_variables)
    const inside = textOf(
      await bench.call('run_command', { command: 'env | grep -v -e ^PWD= -e ^SHLVL= -e ^_=' }),
    )
    delete process.env['YIZHAN_TEST_SECRET']
    for (const line of inside.split('\n').filter((one) => one.includes('='))) {
      const [name, ...value] = line.split('=')
      expect(shown).toContain(`"${name}":"${value.join('=')}"`)
    }
    expect(now).not.toContain('hunter2')
  })

  it('article 23: what never changes is found out once; what changes is looked up each time', async () => {
    const clock = createManualClock()
    using bench = workbench({ sandbox, clock })
    let looks = 0
    const count = async () => ({ looks: ++looks })
    using cached = toolBench({ tools: [createEnvironmentStatic(count)], sandbox, clock })
    for (let i = 0; i < 3; i++)
      expect(textOf(await cached.call('environment_static', {}))).toContain('"looks": 1')
    const first = textOf(await bench.call('environment_static', {}))
    const before = textOf(await bench.call('environment_now', {}))
    await clock.advance(60_000)
    expect(textOf(await bench.call('environment_static', {}))).toBe(first)
    const after = textOf(await bench.call('environment_now', {}))
    expect(before).toContain('"time_utc": "2026-01-05T01:00:00.000Z"')
    expect(after).toContain('"time_local": "2026-01-05 09:01:00 Asia/Shanghai"')
  })
})
