/**
 * For pages without a login: whoever asks must speak to this service directly. A proxy on the same
 * machine that writes `localhost` into Host would otherwise open them to the whole world.
 */
import type { NextFunction, Request, Response } from 'express'
import { refuse } from './guard.ts'

/** What proxies add. None of it is ever believed; that it is there says enough. */
const TRACES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

export function refuseProxied(request: Request, response: Response, next: NextFunction): void {
  if (!TRACES.some((name) => request.headers[name] !== undefined)) {
    next()
    return
  }
  refuse(
    response,
    403,
    'http.proxied',
    'this page has no login, so it is not shown through a proxy: open it on the machine itself, or through ssh -L',
  )
}
