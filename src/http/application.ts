/** The Express side: health, metrics and whatever the app mounts behind the guard. */
import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { z } from 'zod'
import { isAppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'
import { createGuard, type HostRule, securityHeaders } from './guard.ts'
import { refuseProxied } from './proxied.ts'

/** One thing that must be well before a load balancer sends anybody here; `/readyz` answers 503 while one is not. */
export interface ReadyCheck {
  readonly check: string
  readonly ok: boolean
  /** Why not, in English; empty when ok. */
  readonly detail: string
}

export interface MountContext {
  /** Aborts when the server closes: streams must end then. */
  readonly closing: AbortSignal
}

/** A part of the site under its own path, loaded with the application. */
export interface Mount {
  /** `/playground`, `/console`, `/mcp`. */
  readonly path: string
  /** It has no login of its own: requests that came through a proxy are refused (B8). */
  readonly direct?: true
  load(context: MountContext): Promise<RequestHandler>
}

export interface ApplicationDeps {
  readonly hosts: HostRule
  readonly closing: AbortSignal
  /** Whether the process should get traffic. Judged within five seconds, else not ready. */
  readonly health: { ready(): Promise<readonly ReadyCheck[]> }
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
  readonly mounts: readonly Mount[]
  readonly home?: string
  readonly clock: Clock
  readonly logger: Logger
}

const READY_MS = 5_000

export async function createApplication(deps: ApplicationDeps): Promise<RequestListener> {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.use(securityHeaders)
  app.get('/healthz', (_request, response) => void response.json({ alive: true }))
  app.get('/readyz', async (_request, response) => {
    const checks = await readiness(deps)
    const ready = checks.every(({ ok }) => ok)
    response.status(ready ? 200 : 503).json({ ready, checks })
  })
  app.get('/metrics', async (_request, response) => {
    const { contentType, text } = await deps.metrics()
    response.set('content-type', contentType).send(text)
  })
  app.use(createGuard(deps.hosts))
  const { home } = deps
  if (home !== undefined) app.get('/', (_request, response) => response.redirect(302, home))
  for (const mount of deps.mounts) {
    if (mount.direct) app.use(mount.path, refuseProxied)
    app.use(mount.path, await mount.load({ closing: deps.closing }))
  }
  app.use((_request, response) => {
    response.status(404).json({ error: { code: 'http.not_found', message: 'nothing is here' } })
  })
  app.use(errorAnswer(deps.logger))
  return app
}

async function readiness(deps: ApplicationDeps): Promise<readonly ReadyCheck[]> {
  try {
    const checks = await withTimeout(deps.health.ready(), { ms: READY_MS, clock: deps.clock })
    if (checks !== TIMED_OUT) return checks
    return [{ check: 'readiness', ok: false, detail: `the checks took longer than ${READY_MS / 1_000} s` }]
  } catch (error) {
    deps.logger.error({ error }, 'readiness check failed')
    return [{ check: 'readiness', ok: false, detail: 'a check failed; the log says why' }]
  }
}

/** Errors of handlers: an AppError is told, anything else only logged. */
function errorAnswer(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error)
    if (isAppError(error)) {
      const { code, message, hint } = error
      response.status(error.retryable ? 503 : 400).json({ error: { code, message, hint } })
      return
    }
    const status = clientStatus(error)
    if (status === undefined) logger.error({ error, path: request.path }, 'request failed')
    response.status(status ?? 500).json({
      error: {
        code: status === undefined ? 'http.failed' : 'http.bad_request',
        message:
          status === undefined ? 'the request failed; the log says why' : 'the request could not be read',
      },
    })
  }
}

/** Status of an error about what the client sent: a refused shape, or a body parser's 400, 413, 415. */
function clientStatus(error: unknown): number | undefined {
  if (error instanceof z.ZodError) return 400
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined
  return error.status >= 400 && error.status < 500 ? error.status : undefined
}
