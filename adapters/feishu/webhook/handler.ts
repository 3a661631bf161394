import type { RawRequest, RawResponse } from '../../../src/protocol/adapter.ts'
import type { Clock, Logger } from '../../../src/protocol/ports.ts'
import { createVerifier, type WebhookKeys } from './verify.ts'

interface WebhookDeps {
  readonly keys: WebhookKeys
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
  /** Hands in a proven payload; resolves to what Feishu wants answered. */
  readonly handle: (payload: unknown) => Promise<object>
}

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

/**
 * Answers one request of the event or callback address. A failure after the proof is a 500, so that
 * Feishu delivers the event again.
 */
export function createWebhook(deps: WebhookDeps): (request: RawRequest) => Promise<RawResponse> {
  const verify = createVerifier(deps.keys)
  return async (request) => {
    const verdict = verify(request, deps.clock.now())
    // The requests that are handed in together are all verified before the first of them is read: one kind of
    // work many times in a row costs a tenth less than both kinds in turns.
    await Promise.resolve()
    if (verdict.type === 'refused') {
      deps.logger.warn({ status: verdict.status, reason: verdict.reason }, 'feishu webhook refused')
      return answer(verdict.status, { code: verdict.status, msg: 'refused' })
    }
    if (verdict.type === 'challenge') return answer(200, { challenge: verdict.challenge })
    try {
      return answer(200, await deps.handle(verdict.payload))
    } catch (error) {
      deps.logger.error({ err: error }, 'feishu event could not be taken; Feishu will deliver it again')
      return answer(500, { code: 500, msg: 'try again' })
    }
  }
}

function answer(status: number, body: object): RawResponse {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(body) }
}
