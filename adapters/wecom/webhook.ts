/**
 * HTTP callbacks: the AI bot's (`aibot`, JSON) and a self-built app's (`app`, XML). Verified on the raw
 * bytes first; acknowledged when the core has stored the event; everything else happens afterwards.
 */
import type { RawRequest, RawResponse } from '../../src/protocol/adapter.ts'
import { isAppError } from '../../src/protocol/errors.ts'
import type { Logger } from '../../src/protocol/ports.ts'

/** What one of the two callback kinds does with a verified request. */
export interface CallbackHandler {
  /** Answers the URL check: the decrypted echo, as bare text. */
  echo(query: URLSearchParams): string
  /** Answers a callback. */
  post(query: URLSearchParams, body: string): Promise<RawResponse>
}

/** Callbacks carry texts and ids; files are fetched from elsewhere. */
export const WEBHOOK_BYTES = 256 * 1024
const REFUSED: Readonly<Record<string, number>> = {
  'wecom.callback_refused': 401,
  'wecom.callback_foreign': 403,
  'wecom.bad_xml': 400,
  'wecom.bad_json': 400,
}

/** Routes by path; an error of verification or parsing becomes its status, any other 500, so that WeCom repeats. */
export function createWebhook(
  handlers: Readonly<Record<string, CallbackHandler | undefined>>,
  logger: Logger,
): (request: RawRequest) => Promise<RawResponse> {
  return async (request) => {
    const handler = Object.hasOwn(handlers, request.path) ? handlers[request.path] : undefined
    if (handler === undefined) return { status: 404 }
    if (request.body.length > WEBHOOK_BYTES) return { status: 413 }
    try {
      if (request.method === 'GET') return bare(handler.echo(request.query))
      if (request.method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } }
      return await handler.post(request.query, request.body.toString('utf8'))
    } catch (error) {
      const status = isAppError(error) ? (REFUSED[error.code] ?? 500) : 500
      logger.warn({ path: request.path, status, error: String(error) }, 'wecom: a callback was refused')
      return { status }
    }
  }
}

/** No quotes, no byte-order mark, no line break: WeCom compares the bytes (doc 91116). */
function bare(text: string): RawResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' },
    body: text,
  }
}
