import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AnyTool } from '../../../../src/protocol/tool.ts'
import { createListProcesses } from '../../../../src/tools/workstation/list-processes.ts'
import { createMachineMonitor } from '../../../../src/tools/workstation/machine-monitor.ts'
import { createProc } from '../../../../src/tools/workstation/proc.ts'
import { createProcessInfo } from '../../../../src/tools/workstation/process-info.ts'
import { createManualClock } from '../../../support/clock.ts'
import { errorOf, textOf, toolBench } from '../bench.ts'
import { workbench } from './workbench.ts'

const rowSchema = z.strictObject({
  pid: z.int(),
  name: z.string(),
  cpu_percent: z.number(),
  memory_bytes: z.int(),
  memory_percent: z.number(),
})

/** Rows of a result: the first line counts, the rest is one JSON array. */
function rowsOf(text: string): z.output<typeof rowSchema>[] {
  return z.array(rowSchema).parse(JSON.parse(text.slice(text.indexOf('\n'))))
}

interface FakeProcess {
  readonly pid: number
  readonly name: string
  readonly ticks: number
  readonly pages: number
}

/** A machine of 1,000 MiB whose processes are files. */
function fakeMachine() {
  const root = mkdtempSync(join(tmpdir(), 'yizhan-test-proc-'))
  const set = (processes: readonly FakeProcess[], cpu: string): void => {
    writeFileSync(join(root, 'stat'), `cpu  ${cpu}\n`)
    for (const { pid, name, ticks, pages } of processes) {
      mkdirSync(join(root, String(pid)), { recursive: true })
      const fields = ['S', 1, 1, 1, 0, -1, 0, 0, 0, 0, 0, ticks, 0, 0, 0, 20, 0, 3, 0, 500, 0, pages, 0]
      writeFileSync(join(root, String(pid), 'stat'), `${pid} (${name}) ${fields.join(' ')}\n`)
      writeFileSync(join(root, String(pid), 'status'), `Name:\t${name}\nUid:\t65534\t65534\n`)
    }
  }
  writeFileSync(join(root, 'meminfo'), 'MemTotal: 1024000 kB\nMemAvailable: 512000 kB\n')
  writeFileSync(join(root, 'uptime'), '100.00 50.00\n')
  const clock = createManualClock()
  const monitor = createMachineMonitor({ clock, proc: createProc(root) })
  const tools = [createListProcesses(monitor), createProcessInfo(monitor)]
  return { set, clock, tools, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

/** Calls a tool that takes two looks, a quarter of a second apart. */
async function looked(
  machine: ReturnType<typeof fakeMachine>,
  name: string,
  args: object,
  second: readonly FakeProcess[],
) {
  using bench = toolBench({ tools: machine.tools as AnyTool[], clock: machine.clock })
  const result = bench.call(name, args)
  while (machine.clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve))
  machine.set(second, '200 0 0 200 0 0 0 0')
  await machine.clock.advance(250)
  return await result
}

const FIRST: FakeProcess[] = [
  { pid: 10, name: 'node', ticks: 100, pages: 25_600 },
  { pid: 11, name: 'odd (name) 2', ticks: 0, pages: 256 },
  { pid: 12, name: 'python3', ticks: 0, pages: 51_200 },
]
const SECOND: FakeProcess[] = [
  { pid: 10, name: 'node', ticks: 150, pages: 25_600 },
  { pid: 11, name: 'odd (name) 2', ticks: 0, pages: 256 },
  { pid: 12, name: 'python3', ticks: 5, pages: 51_200 },
]

describe('list_processes', () => {
  it('article 13: a JSON array of pid, name, cpu and memory', async () => {
    using machine = fakeMachine()
    machine.set(FIRST, '100 0 0 100 0 0 0 0')
    const text = textOf(await looked(machine, 'list_processes', {}, SECOND))
    expect(text).toMatch(/^3 processes in total, 3 returned\n\[/)
    // 50 ticks of a hundredth of a second within the 250 ms between the looks: two threads.
    expect(rowsOf(text)).toEqual([
      { pid: 10, name: 'node', cpu_percent: 200, memory_bytes: 104_857_600, memory_percent: 10 },
      { pid: 12, name: 'python3', cpu_percent: 20, memory_bytes: 209_715_200, memory_percent: 20 },
      { pid: 11, name: 'odd (name) 2', cpu_percent: 0, memory_bytes: 1_048_576, memory_percent: 0.1 },
    ])
  })

  it.each([
    [{ name: 'PYN' }, [12]],
    [{ name: 'zzz' }, []],
    [{ min_cpu_percent: 5 }, [10, 12]],
    [{ min_memory_mb: 150 }, [12]],
    [{ sort: 'memory', limit: 2 }, [12, 10]],
    [{ sort: 'pid', limit: 1, offset: 1 }, [11]],
  ])('article 14: filters by part of the name, by use, by number: %j', async (args, pids) => {
    using machine = fakeMachine()
    machine.set(FIRST, '100 0 0 100 0 0 0 0')
    const text = textOf(await looked(machine, 'list_processes', args, SECOND))
    expect(pids.length === 0 ? [] : rowsOf(text).map((row) => row.pid)).toEqual(pids)
    if (pids.length === 0) expect(text).toBe('No processes.')
  })

  it('K: shows the real machine without any argument or variable of a process', async () => {
    using bench = workbench()
    const text = textOf(await bench.call('list_processes', { limit: 200 }))
    expect(rowsOf(text).length).toBeGreaterThan(2)
    expect(text).not.toContain(process.argv[1])
  })
})

describe('process_info', () => {
  it('tells about one process, and says when it is gone', async () => {
    using machine = fakeMachine()
    machine.set(FIRST, '100 0 0 100 0 0 0 0')
    expect(await looked(machine, 'process_info', { pid: 10 }, SECOND)).toMatchObject({
      ok: true,
      data: {
        ...{ pid: 10, name: 'node', parent_pid: 1, state: 'sleeping', user_id: 65_534, threads: 3 },
        // Started 5 s after boot, 95 s ago.
        started: '2026-01-05T00:58:25.250Z',
        ...{ cpu_percent: 200, cpu_seconds: 1.5, memory_bytes: 104_857_600, memory_percent: 10 },
      },
    })
    using bench = workbench()
    expect(errorOf(await bench.call('process_info', { pid: 4_194_305 }))).toMatchObject({
      type: 'not_found',
      hint: expect.stringContaining('list_processes'),
    })
  })
})

describe('system_status and disk_usage', () => {
  it('article 15: percent of the whole and bytes, named in each key and in the description', async () => {
    using bench = workbench()
    const status = await bench.call('system_status', {})
    const data = z.record(z.string(), z.unknown()).parse(status.ok ? status.data : {})
    for (const [key, value] of Object.entries(data)) {
      if (key.endsWith('_percent')) expect(value, key).toSatisfy((n: number) => n >= 0 && n <= 100)
      else expect(key).toMatch(/_bytes$|_seconds$|^load_average$|^processes$|^cpu_cores$/)
    }
    expect(data).toMatchObject({
      memory_total_bytes: expect.any(Number),
      disk_free_bytes: expect.any(Number),
    })
    const about = bench.tools.find((tool) => tool.name === 'system_status')?.description
    expect(about).toContain('All *_percent are 0 to 100 of the whole machine, all *_bytes are bytes')
  })

  it('what fills a folder, everything below counted to its entry, largest first', async () => {
    using bench = workbench()
    bench.put('a/b/deep', 'x'.repeat(300))
    bench.put('a/.hidden', 'x'.repeat(50))
    bench.put('top', 'x'.repeat(100))
    const text = textOf(await bench.call('disk_usage', {}))
    expect(text).toMatch(/^\.: 450 bytes in 3 files; disk: \d+ of \d+ bytes free/)
    expect(text).toMatch(/2 entries in total, 2 returned\n350 bytes {2}a\/\n100 bytes {2}top$/)
  })

  it('article 32: system tools change nothing and are risk read', () => {
    using bench = workbench()
    const readers = bench.tools.filter((tool) => tool.risk === 'read').map((tool) => tool.name)
    expect(readers).toEqual(
      expect.arrayContaining([
        'list_processes',
        'process_info',
        'system_status',
        'disk_usage',
        'environment_now',
      ]),
    )
    expect(
      bench.tools
        .filter((tool) => !tool.readOnly)
        .map((tool) => tool.name)
        .sort(),
    ).toEqual(['run_command', 'start_command', 'stop_command', 'write_file'])
  })
})
