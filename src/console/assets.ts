/** The pages that `npm ci` built. Names of assets carry a hash of their content, so they never change. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import express, { Router } from 'express'
import { AppError } from '../protocol/errors.ts'

const BUILT = fileURLToPath(new URL('./dist/', import.meta.url))
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Serves the built page and its assets. Throws `console.not_built` when the build is missing. */
export function servePages(folder = BUILT): Router {
  if (!existsSync(`${folder}/index.html`)) {
    throw new AppError('console.not_built', 'the web pages are not built', {
      hint: 'run `npm ci` without --ignore-scripts, or `npm run build`; development packages must be installed',
    })
  }
  const router = Router()
  router.use(
    '/assets',
    express.static(`${folder}/assets`, {
      index: false,
      fallthrough: false,
      cacheControl: false,
      // Set by hand: the library keeps a header that is already there, and ours says no-store.
      setHeaders: (response) => response.setHeader('cache-control', FOR_EVER),
    }),
  )
  router.use(express.static(folder, { cacheControl: false, dotfiles: 'ignore' }))
  return router
}
