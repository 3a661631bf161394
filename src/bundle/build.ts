/**
 * `npm run build`, and the launcher when the sources have changed: makes one bundle of the server. Knows
 * which packages every start needs and takes only those in; what is loaded at first use stays in
 * node_modules. Refuses to know what the program does, and what anything beside a source file is for.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputOptions, rolldown } from 'rolldown'
import { bundleFolder } from './folder.js'
import { FEISHU_SDK, feishuSdk, places } from './plugins.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** A running service loads parts of its own bundle later, so the last few stay. */
const KEPT = 5
/** What every start loads, and what has to share its zod. */
const TAKEN_IN =
  /^(?:@larksuiteoapi\/node-sdk|@modelcontextprotocol\/sdk|chardet|croner|fast-xml-parser|fflate|iconv-lite|ipaddr\.js|kysely|pino|prom-client|unbash|ws|yaml|zod)(?:\/|$)/

const OUTPUT: OutputOptions = {
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  comments: false,
  // V8 keeps a text without other letters in half the memory.
  charset: 'ascii',
  sourcemap: true,
  sourcemapExcludeSources: true,
}

await buildServer()

async function buildServer(): Promise<void> {
  // Named before anything is read, so that an edit during the build asks for another bundle.
  const folder = bundleFolder(ROOT)
  const unfinished = `${folder}.${process.pid}`
  const bundle = await rolldown({
    cwd: ROOT,
    input: { program: 'src/cli/index.ts' },
    platform: 'node',
    external: isLeftOut,
    plugins: [feishuSdk(ROOT), places(ROOT)],
    // The SDK is one file of 6 MB, of which a connection needs 65 KB.
    treeshake: { moduleSideEffects: (id) => !id.includes(FEISHU_SDK) },
    logLevel: 'silent',
  })
  await bundle.write({ ...OUTPUT, dir: unfinished })
  await bundle.close()
  putInPlace(unfinished, folder)
  forgetOld(dirname(folder))
}

function isLeftOut(id: string, importer: string | undefined): boolean {
  if (/^[./]/.test(id)) return false
  return !importer?.includes('/node_modules/') && !TAKEN_IN.test(id)
}

/** Two starts may build at once; both bundles are the same, and the first one stays. */
function putInPlace(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

function forgetOld(dist: string): void {
  const folders = readdirSync(dist)
    .map((name) => join(dist, name))
    // Another start's unfinished one may be in its place by now.
    .map((path) => ({ path, madeAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.madeAt - a.madeAt)
  for (const { path } of folders.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}
