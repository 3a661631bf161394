/** What all tools together add to a start, as `npm start` runs it: from a bundle, with compiled code kept from before. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { writeBundle } from '../../src/bundle/writer.ts'
import { atMost, median, type Row } from './row.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'dist', `bench-${process.pid}`)

/** What the service loads before any tool is named. */
const BEFORE = [
  ...['protocol/tool.ts', 'store/store.ts', 'config/schema.ts', 'sandbox/index.ts', 'policy/policy.ts'],
  'http/server.ts',
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
  try {
    await bundleTools()
    // The first round fills the cache of compiled code that every later start finds.
    for (let i = 0; i < (quick ? 5 : 9); i++) {
      const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), FOLDER])
      if (i > 0) times.push(Number(stdout))
    }
  } finally {
    rmSync(FOLDER, { recursive: true, force: true })
  }
  return atMost('start: what loading all tools adds', median(times), 'ms', 100)
}

async function bundleTools(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const entry = (name: string, paths: readonly string[]): string => {
    // Everything is handed out, so that nothing of it can be left out as unused.
    const lines = paths.map(
      (path, index) => `export * as m${index} from ${JSON.stringify(join(ROOT, 'src', path))}`,
    )
    const file = join(FOLDER, `${name}-entry.ts`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }
  await writeBundle(ROOT, { before: entry('before', BEFORE), tools: entry('tools', TOOLS) }, FOLDER)
}

async function load(folder: string, name: string): Promise<number> {
  const started = performance.now()
  await import(pathToFileURL(join(folder, `${name}.js`)).href)
  return performance.now() - started
}

if (import.meta.main) {
  const [folder = FOLDER] = process.argv.slice(2)
  enableCompileCache(join(ROOT, 'node_modules/.cache/yizhan'))
  await load(folder, 'before')
  process.stdout.write(String(await load(folder, 'tools')))
}
