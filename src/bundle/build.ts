/**
 * `npm run build`, and the launcher when the sources have changed: makes one bundle of the server and puts
 * it in its place. Refuses to know what the program does, and how a bundle is written.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleFolder } from './folder.js'
import { writeBundle } from './writer.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** A running service loads parts of its own bundle later, so the last few stay. */
const KEPT = 5

await buildServer()

async function buildServer(): Promise<void> {
  // Named before anything is read, so that an edit during the build asks for another bundle.
  const folder = bundleFolder(ROOT)
  const unfinished = `${folder}.${process.pid}`
  await writeBundle(ROOT, { program: 'src/cli/index.ts' }, unfinished)
  putInPlace(unfinished, folder)
  forgetOld(dirname(folder))
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
