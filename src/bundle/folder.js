/**
 * Which bundle belongs to the sources as they are now. Plain JavaScript, because the launcher asks at
 * every start and stripping types from a single file costs 14 MB of memory that never come back.
 */
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The pages have a build of their own, and their sources are no part of the server. */
const NOT_SERVER = /^src\/console\/(?:dist|pages)(?:\/|$)/

/**
 * Folder of the bundle made from exactly these sources, whether it exists or not. Its name is taken from
 * path, size and time of change of every source file and of the package lists, so a bundle of other
 * sources is never found: not after an edit, a new or removed file, a checkout or an upgrade.
 * @param {string} root folder of package.json
 * @returns {string}
 */
export function bundleFolder(root) {
  const hash = createHash('sha256')
  for (const path of sourceFiles(root)) {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return join(root, 'dist', hash.digest('hex').slice(0, 16))
}

/**
 * @param {string} root
 * @returns {string[]}
 */
function sourceFiles(root) {
  const found = ['package.json', 'package-lock.json']
  const walk = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (NOT_SERVER.test(path)) continue
      if (entry.isDirectory()) walk(path)
      else if (/\.[jt]s$/.test(entry.name)) found.push(path)
    }
  }
  walk('src')
  walk('adapters')
  return found.sort()
}
