/** Which file imports which, read from the sources as text. Paths are relative to the repository's root. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** Source files below a folder; the web page and its build are left out. */
export function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(dist|pages)\//.test(name))
    .map((name) => join(folder, name))
}

/** Files that a file imports by a relative path. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = [...text.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)'(\.[^']+)'/g)]
  return found.map(([, target = '']) => relative(root, resolve(root, dirname(file), target)))
}

/** Names that a file imports or hands on by a relative path, each with the file that it names; `*` for all of it. */
export function importedNames(file: string): { readonly name: string; readonly from: string }[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(/(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\*)\s+from\s+'(\.[^']+)'/g)
  return [...found].flatMap(([, names = '*', target = '']) =>
    names
      .split(',')
      .map((name) => /^\s*(?:type\s+)?(\w+|\*)/.exec(name)?.[1])
      .filter((name) => name !== undefined)
      .map((name) => ({ name, from: relative(root, resolve(root, dirname(file), target)) })),
  )
}

/** Packages that a file imports. */
export function packagesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name)
}
