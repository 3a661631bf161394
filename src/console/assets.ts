/** The pages that `npm ci` built. Names of assets carry a hash of their content, so they never change. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import express, { Router } from 'express'

const BUILT = fileURLToPath(new URL('./dist/', import.meta.url))
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Serves the built page and its assets; while the build is missing, a page that says `notBuilt`. */
export function servePages(notBuilt: string, folder = BUILT): Router {
  const router = Router()
  router.use((_request, response, next) => {
    // Looked at each time: a build made while the service runs is used without a restart.
    if (existsSync(`${folder}/index.html`)) return next()
    response.status(503).type('text/plain').send(`${notBuilt}\n`)
  })
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
