/** Pushes to a request address: one POST, 3 seconds, no redirects. */
import { request } from 'node:http'
import { encryptBody, signBody } from './cipher.ts'
import { parseJson } from './json.ts'
import type { App, State } from './state.ts'

/** What came back from a request address. */
export interface Push {
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'refused' | 'dns'
  readonly status?: number
  readonly text: string
  /** Parsed body; undefined when it is no JSON. */
  readonly answer?: unknown
}

/** Sends `payload` as compact JSON, encrypted and signed when the app has an encrypt key. */
export function pushWebhook(
  state: State,
  app: App,
  url: string,
  payload: string,
  options: { timeoutMs: number; signed: boolean },
): Promise<Push> {
  const iv = Buffer.from(state.ids.hex(32), 'hex')
  const body =
    app.encryptKey === '' ? payload : JSON.stringify({ encrypt: encryptBody(app.encryptKey, payload, iv) })
  const timestamp = String(Math.floor(state.clock.now() / 1000))
  const nonce = state.ids.hex(10)
  const signature =
    options.signed && app.encryptKey !== ''
      ? {
          'x-lark-request-timestamp': timestamp,
          'x-lark-request-nonce': nonce,
          'x-lark-signature': signBody(timestamp, nonce, app.encryptKey, body),
        }
      : {}
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...signature,
  }
  return post(state, url, body, headers, options.timeoutMs)
}

function post(
  state: State,
  url: string,
  body: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<Push> {
  return new Promise((resolve) => {
    if (!URL.canParse(url)) return resolve({ outcome: 'dns', text: '' })
    const outgoing = request(url, { method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const status = response.statusCode ?? 0
        finish({ outcome: status === 200 ? 'ok' : 'failed', status, text, answer: parseJson(text) })
      })
      response.on('error', () => finish({ outcome: 'failed', text: '' }))
    })
    const cancel = state.clock.after(timeoutMs, () => {
      finish({ outcome: 'timeout', text: '' })
      outgoing.destroy()
    })
    const finish = (push: Push): void => {
      cancel()
      resolve(push)
    }
    outgoing.on('error', (error) => {
      const dns = 'code' in error && error.code === 'ENOTFOUND'
      finish({ outcome: dns ? 'dns' : 'refused', text: '' })
    })
    outgoing.end(body)
  })
}
