/** Rolldown plugins for this program: keep `import.meta.url` valid, and take only the used part of the Feishu SDK. */
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'

/** The package of which most is left out. */
export const FEISHU_SDK = '@larksuiteoapi/node-sdk'

/**
 * Takes the SDK's ES form: of its CommonJS form nothing can be left out. The form is no real module: it
 * looks for its version from `__dirname`.
 */
export function feishuSdk(root: string): Plugin {
  const folder = dirname(createRequire(join(root, 'package.json')).resolve(`${FEISHU_SDK}/package.json`))
  const file = join(folder, 'es/index.js')
  return {
    name: 'feishu-sdk',
    resolveId: (id) => (id === FEISHU_SDK ? file : undefined),
    transform(code, id) {
      if (id !== file) return undefined
      const address = JSON.stringify(`../../node_modules/${FEISHU_SDK}/es`)
      const place = `decodeURIComponent(new URL(${address}, import.meta.url).pathname)`
      return { code: code.replaceAll('__dirname', place), map: null }
    },
  }
}

/**
 * Keeps every source file where it says it is: `import.meta.url` stays its own address, beside which it
 * finds packages and files. A program or thread that it starts (`new URL('./name.ts', import.meta.url)`)
 * becomes a file of the bundle.
 */
export function places(root: string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return undefined
      const started = code.replace(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, (_, path: string) => {
        const name = basename(path, '.ts')
        this.emitFile({ type: 'chunk', id: resolve(dirname(id), path), fileName: `${name}.js` })
        return `new URL('./${name}.js', import.meta.__bundle)`
      })
      const address = JSON.stringify(join('../..', relative(root, id)))
      const moved = started
        .replaceAll('import.meta.url', `new URL(${address}, import.meta.__bundle).href`)
        .replaceAll('import.meta.__bundle', 'import.meta.url')
      // Only columns move, within one line; the map of lines stays true.
      return { code: moved, map: null }
    },
  }
}
