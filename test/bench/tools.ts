/** Tools: reading, searching and listing against the system's own programs; the overhead of a call; a click. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createAudit } from '../../src/observability/audit.ts'
import { createKnownRedactor, createRedactor } from '../../src/observability/redact.ts'
import { createToolCalls } from '../../src/observability/tool-calls.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import { defineTool } from '../../src/protocol/tool.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { disciplined } from '../../src/tools/discipline.ts'
import { builtinTools, createToolRegistry } from '../../src/tools/index.ts'
import { commonArguments, findRipgrep } from '../../src/tools/search/ripgrep.ts'
import { listDirectoryTool } from '../../src/tools/workstation/list-directory.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { openTestStore } from '../support/store.ts'
import { measureClick } from './click.ts'
import { atMost, type Row } from './row.ts'
import {
  callTool,
  delayDuring,
  growLongFile,
  makeTree,
  OPEN_SANDBOX,
  openPlace,
  type Place,
  programMs,
  timed,
} from './tool-bench.ts'
import { measureToolLoading } from './tool-modules.ts'
import { measurePeak } from './tool-peak.ts'
import { measureWebPage } from './web-page.ts'

/** All figures of the tools; `quick` takes smaller trees and files and fewer rounds. */
export async function measureTools(quick: boolean): Promise<Row[]> {
  const sandbox = await createSandbox(OPEN_SANDBOX, { logger: createCollectingLogger() })
  try {
    return [
      await measureToolLoading(quick),
      ...(await measureReading(sandbox, quick)),
      ...(await measureSearching(sandbox, quick)),
      ...(await measureListing(sandbox, quick)),
      await measureOverhead(sandbox, quick),
      ...(await measureWebPage(sandbox, quick)),
      ...(await measureClick(quick)),
    ]
  } finally {
    await sandbox.close()
  }
}

/** Both sides in turn; the best of each, because whatever else the machine does can only add to it. */
async function inTurn(
  rounds: number,
  own: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ value: number; baseline: number; ratio: number }> {
  let [value, baseline] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let i = 0; i < rounds; i++) {
    value = Math.min(value, await own())
    baseline = Math.min(baseline, await reference())
  }
  return { value, baseline, ratio: value / baseline }
}

async function best(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) least = Math.min(least, await measure())
  return least
}

async function measureReading(sandbox: Sandbox, quick: boolean): Promise<Row[]> {
  using place = openPlace(sandbox)
  const path = join(place.workspace, 'long.txt')
  const [bytes, first] = quick ? [100e6, 500_000] : [1e9, 5_000_000]
  growLongFile(path, bytes)
  const tools = builtinTools()
  const args = { path: 'long.txt', start_line: first, line_count: 200 }
  const own = () => callTool(tools, place.context('read'), 'read_file', args)
  const range = `${first},${first + 199}p;${first + 199}q`
  await own()
  const figures = await inTurn(
    quick ? 5 : 7,
    () => timed(own),
    () => programMs('/bin/sed', ['-n', range, 'long.txt'], place.workspace),
  )
  const delay = await delayDuring(own)
  growLongFile(path, bytes)
  // A line has ninety bytes: this one lies in the middle of what is now twice as long.
  const middle = { ...args, start_line: Math.floor(bytes / 90) }
  const { ms, grownMb } = await measurePeak(place.root, 'read_file', middle)
  const size = `${(2 * bytes) / 1e9} GB`
  const name = `read_file, 200 lines at ${first / 1e6} M of ${bytes / 1e9} GB, against sed`
  return [
    { name, ...figures, unit: 'ms', target: '≤ 1.5 × ref', ok: figures.ratio <= 1.5 },
    atMost('read_file, event-loop delay p99 meanwhile', delay, 'ms', 20),
    atMost(`read_file, 200 lines from the middle of ${size}`, ms, 'ms', 400),
    atMost(`read_file, 200 lines from the middle of ${size}, memory it takes`, grownMb, 'MB', 64),
  ]
}

async function measureSearching(sandbox: Sandbox, quick: boolean): Promise<Row[]> {
  const ripgrep = findRipgrep()
  if (ripgrep === undefined) return []
  using place = openPlace(sandbox)
  const files = quick ? 5_000 : 50_001
  makeTree(place.workspace, files)
  const tools = builtinTools()
  const common = [...commonArguments(false), '--glob=!.git']
  const searches = [
    [
      'grep',
      { pattern: 'processPayment' },
      ['-n', '--fixed-strings', ...common, '--regexp=processPayment', '.'],
    ],
    ['glob', { pattern: '*.ts' }, [...common, '--glob=*.ts', '--files']],
  ] as const
  const rows: Row[] = []
  for (const [name, args, flags] of searches) {
    const own = () => callTool(tools, place.context(name), name, args)
    await own()
    const rounds = quick ? 5 : 7
    const figures = await inTurn(
      rounds,
      () => timed(own),
      () => programMs(ripgrep, flags, place.workspace),
    )
    const ok = figures.value <= 1.3 * figures.baseline + 30
    rows.push({
      name: `${name}, ${files} files, against rg`,
      ...figures,
      unit: 'ms',
      target: '≤ 1.3 × ref + 30 ms',
      ok,
    })
    const delay = await best(rounds, () => delayDuring(own))
    rows.push(atMost(`${name}, event-loop delay p99 meanwhile`, delay, 'ms', 20))
  }
  return rows
}

async function measureListing(sandbox: Sandbox, quick: boolean): Promise<Row[]> {
  using place = openPlace(sandbox)
  const entries = quick ? 20_000 : 100_000
  for (let i = 0; i < entries; i++) writeFileSync(join(place.workspace, `entry-${i}`), '')
  const args = { offset: entries / 2 }
  const own = () => callTool([listDirectoryTool], place.context('list'), 'list_directory', args)
  await own()
  const ms = await best(quick ? 3 : 7, () => timed(own))
  const { grownMb } = await measurePeak(place.root, 'list_directory', args)
  const name = `list_directory, ${entries.toLocaleString('en')} entries`
  return [atMost(name, ms, 'ms', 1_000), atMost(`${name}, memory it takes`, grownMb, 'MB', 64)]
}

const nothing = defineTool({
  name: 'nothing',
  description: 'Does nothing.',
  input: z.strictObject({ text: z.string() }),
  readOnly: true,
  risk: 'read',
  title: () => '',
  run: async ({ text }) => ({ ok: true, text }),
})

/** A call that does nothing, from its JSON to its row in the audit on the disk. */
async function measureOverhead(sandbox: Sandbox, quick: boolean): Promise<Row> {
  using place: Place = openPlace(sandbox)
  const store = await openTestStore()
  const clock = createSystemClock()
  const calls = createToolCalls({
    ...{ store, clock, logger: createCollectingLogger(), audit: createAudit({ db: store.db, clock }) },
    ...{ redact: createRedactor(['s3cret-value']), redactKnown: createKnownRedactor(['s3cret-value']) },
    salt: 'bench',
    onAlert: () => {},
  })
  const registry = createToolRegistry([...builtinTools(), nothing])
  const ctx = place.context('nothing')
  const { sessionId, runId, address, requester, callId } = ctx
  const args = '{"text":"x"}'
  const once = async (): Promise<void> => {
    const parsed = registry.parse({ id: 'x', name: 'nothing', arguments: args })
    if (!parsed.ok) throw new Error(parsed.error.message)
    const bind = await registry.bind(parsed.tool, parsed.args, ctx)
    if (!bind.ok) throw new Error(bind.error.message)
    const raw = await parsed.tool.run(parsed.args, ctx, new AbortController().signal, bind.bound)
    const result = disciplined(raw, calls.discipline.redact)
    const call = {
      tool: 'nothing',
      callId,
      args,
      status: 'ok',
      ms: 0,
      characters: result.ok ? result.text.length : 0,
    } as const
    calls.discipline.report({ ...call, ...{ sessionId, runId, address, requester } })
  }
  const count = 500
  const ms = await best(quick ? 3 : 20, () =>
    timed(async () => {
      for (let i = 0; i < count; i++) await once()
      await calls.flush()
    }),
  )
  await store.close()
  return atMost('a call that does nothing, with its audit row on disk', ms / count, 'ms', 1)
}
