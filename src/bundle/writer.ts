/**
 * Joins sources into the files that Node loads. Knows which packages every start needs and takes only
 * those in; what is loaded at first use stays in node_modules.
 */
import { type OutputOptions, rolldown } from 'rolldown'
import { FEISHU_SDK, feishuSdk, places } from './plugins.ts'

/** What every start loads, and what has to share its zod. */
const TAKEN_IN =
  /^(?:@larksuiteoapi\/node-sdk|@modelcontextprotocol\/sdk|chardet|croner|fast-xml-parser|fflate|iconv-lite|ipaddr\.js|kysely|pino|prom-client|unbash|ws|yaml|zod)(?:\/|$)/

const OUTPUT: OutputOptions = {
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  comments: false,
  // V8 stores a source text of one-byte characters in half the memory.
  charset: 'ascii',
  sourcemap: true,
  sourcemapExcludeSources: true,
}

/**
 * @param root absolute folder of package.json
 * @param input names of the files that are loaded from outside, and their sources, relative to `root`
 * @param folder absolute, two folders below `root`: that is where the sources are looked for
 */
export async function writeBundle(
  root: string,
  input: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: 'node',
    external: isLeftOut,
    plugins: [feishuSdk(root), places(root)],
    // The SDK is one file of 6 MB, of which a connection needs 65 KB.
    treeshake: { moduleSideEffects: (id) => !id.includes(FEISHU_SDK) },
    logLevel: 'silent',
  })
  await bundle.write({ ...OUTPUT, dir: folder })
  await bundle.close()
}

function isLeftOut(id: string, importer: string | undefined): boolean {
  if (/^[./]/.test(id)) return false
  return !importer?.includes('/node_modules/') && !TAKEN_IN.test(id)
}
