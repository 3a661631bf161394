/** What all tools together add to a start: a fresh process loads them after what it needs without them. */
import { execFile } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atMost, median, type Row } from './row.ts'

/** What the service loads before any tool is named. */
const BEFORE = [
  'protocol/tool.ts',
  'store/store.ts',
  'config/schema.ts',
  'sandbox/index.ts',
  'policy/policy.ts',
]
const TOOLS = [
  ...['index.ts', 'workstation/index.ts', 'workbench/index.ts', 'memory/index.ts', 'agents/index.ts'],
  ...['schedule/index.ts', 'wecom/index.ts', 'browser/index.ts', 'desktop/index.ts', 'video/video-gen.ts'],
  ...['skills/load-skill.ts', 'web/web-search.ts', 'web/web-fetch.ts', 'web/reader/reader.ts'],
  ...['web/sources/apis.ts', 'web/sources/pages.ts'],
].map((path) => `tools/${path}`)

export async function measureToolLoading(quick: boolean): Promise<Row> {
  const run = promisify(execFile)
  const times: number[] = []
  // The first round fills the cache of compiled code that every later start finds.
  for (let i = 0; i < (quick ? 5 : 9); i++) {
    const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url)])
    if (i > 0) times.push(Number(stdout))
  }
  return atMost('start: what loading all tools adds', median(times), 'ms', 100)
}

async function load(paths: readonly string[]): Promise<number> {
  const started = performance.now()
  for (const path of paths) await import(`../../src/${path}`)
  return performance.now() - started
}

if (import.meta.main) {
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/yizhan', import.meta.url)))
  await load(BEFORE)
  process.stdout.write(String(await load(TOOLS)))
}
