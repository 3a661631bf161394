/**
 * Who may talk to pages and APIs from a browser: the right host, the right origin, a body type that
 * no foreign form can send. Nothing here trusts `X-Forwarded-*`, and being local is no authority.
 */
import type { NextFunction, Request, RequestHandler, Response } from 'express'

export interface HostRule {
  /** Adds the address that the server listens on, unless it is a wildcard. */
  bind(host: string): void
  /** True when a `Host` header names this service. */
  allows(host: string | undefined): boolean
  /** True when an `Origin` header belongs to the same service as `host`. */
  allowsOrigin(origin: string, host: string | undefined): boolean
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const WILDCARDS = new Set(['0.0.0.0', '::', ''])

/** Loopback names and the host of `publicUrl`. Anything else is a name that somebody made point here. */
export function createHostRule(publicUrl?: string): HostRule {
  const names = new Set(LOOPBACK)
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  if (publicUrl !== undefined) names.add(new URL(publicUrl).hostname)
  return {
    bind: (host) => {
      if (!WILDCARDS.has(host)) names.add(host.includes(':') ? `[${host}]` : host.toLowerCase())
    },
    allows: (host) => {
      const name = hostname(host)
      return name !== undefined && names.has(name)
    },
    allowsOrigin: (origin, host) => {
      if (!URL.canParse(origin)) return false
      const { host: from, protocol } = new URL(origin)
      if (protocol !== 'http:' && protocol !== 'https:') return false
      return from === host?.toLowerCase() || from === publicHost
    },
  }
}

function hostname(host: string | undefined): string | undefined {
  if (host === undefined || !URL.canParse(`http://${host}/`)) return undefined
  const url = new URL(`http://${host}/`)
  // `user@localhost` or `localhost/path` would parse to a loopback name as well.
  return url.host === host.toLowerCase() || `${url.host}:80` === host.toLowerCase() ? url.hostname : undefined
}

/** No inline script or style, no frame, no foreign resource, no HTML built from strings. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of every answer; `no-store` is lifted only by hashed assets. */
export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  next()
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A form of a foreign page can send neither without a preflight, which is never granted. */
const BODY_TYPES = ['application/json', 'application/octet-stream']

/** Refuses other hosts (DNS rebinding), other origins (CSRF) and bodies that a plain form can send. */
export function createGuard(hosts: HostRule): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers
    if (!hosts.allows(host)) {
      return refuse(
        response,
        403,
        'http.host_refused',
        'this host name is not the service’s: set server.publicUrl',
      )
    }
    if (origin !== undefined && !hosts.allowsOrigin(origin, host)) {
      return refuse(response, 403, 'http.origin_refused', 'requests from other sites are refused')
    }
    if (SAFE_METHODS.has(request.method)) return next()
    if (request.headers['sec-fetch-site'] === 'cross-site') {
      return refuse(response, 403, 'http.origin_refused', 'requests from other sites are refused')
    }
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0
    if (hasBody && !BODY_TYPES.some((type) => request.is(type) === type)) {
      return refuse(response, 415, 'http.content_type', 'send application/json')
    }
    next()
  }
}

/** Ends a request that is not let through. */
export function refuse(response: Response, status: number, code: string, message: string): void {
  response.status(status).set('connection', 'close').json({ error: { code, message } })
}
