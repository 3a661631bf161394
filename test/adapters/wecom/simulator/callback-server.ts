/** A developer's callback server that decrypts and encrypts with @wecom/crypto, not with our own code. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { decrypt, encrypt, getSignature } from '@wecom/crypto'
import { AES_KEY, TOKEN } from './fixture.ts'

export interface Received {
  method: string
  contentType: string
  query: URLSearchParams
  body: string
  /** The decrypted text. */
  plain: string
  receiveId: string
  signatureFits: boolean
}

/** What to answer: nothing, a plain reply to encrypt, a bare text, a status, or silence. */
export type Answer =
  | { type: 'empty' }
  | { type: 'json'; value: object; nonce?: string }
  | { type: 'xml'; value: string }
  | { type: 'bare'; text: string }
  | { type: 'status'; status: number }
  | { type: 'silence' }

export interface CallbackServer {
  readonly url: string
  readonly received: Received[]
  /** Answers the requests to come; the default is an empty 200. */
  answer(make: (request: Received) => Answer): void
  /** Resolves once this many requests came. */
  count(requests: number): Promise<void>
  stop(): Promise<void>
}

async function receive(request: IncomingMessage): Promise<Received> {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts).toString('utf8')
  const encrypted =
    query.get('echostr') ??
    /"encrypt":"([^"]+)"|<Encrypt><!\[CDATA\[(.+?)\]\]>/.exec(body)?.slice(1).find(Boolean) ??
    ''
  const opened = decrypt(AES_KEY, encrypted)
  const [timestamp, nonce] = [query.get('timestamp') ?? '', query.get('nonce') ?? '']
  return {
    method: request.method ?? '',
    contentType: request.headers['content-type'] ?? '',
    query,
    body,
    plain: opened.message,
    receiveId: opened.id,
    signatureFits: getSignature(TOKEN, timestamp, nonce, encrypted) === query.get('msg_signature'),
  }
}

function respond(response: ServerResponse, request: Received, answer: Answer): void {
  const [timestamp, own] = ['1767225600', request.query.get('nonce') ?? '']
  switch (answer.type) {
    case 'silence':
      return
    case 'empty':
      response.end()
      return
    case 'status':
      response.writeHead(answer.status).end()
      return
    case 'bare':
      response.end(answer.text)
      return
    case 'json': {
      const nonce = answer.nonce ?? own
      const text = encrypt(AES_KEY, JSON.stringify(answer.value), '')
      const msgsignature = getSignature(TOKEN, timestamp, nonce, text)
      response.end(JSON.stringify({ encrypt: text, msgsignature, timestamp: Number(timestamp), nonce }))
      return
    }
    case 'xml': {
      const text = encrypt(AES_KEY, answer.value, request.receiveId)
      const signature = getSignature(TOKEN, timestamp, own, text)
      response.end(
        `<xml><Encrypt><![CDATA[${text}]]></Encrypt><MsgSignature><![CDATA[${signature}]]></MsgSignature><TimeStamp>${timestamp}</TimeStamp><Nonce><![CDATA[${own}]]></Nonce></xml>`,
      )
      return
    }
    default:
      answer satisfies never
  }
}

export async function startCallbackServer(): Promise<CallbackServer> {
  const received: Received[] = []
  const waiting: { requests: number; resolve: () => void }[] = []
  let make: (request: Received) => Answer = () => ({ type: 'empty' })
  const server = createServer((request, response) => {
    void receive(request).then((opened) => {
      received.push(opened)
      for (const waiter of waiting) if (received.length >= waiter.requests) waiter.resolve()
      respond(response, opened, make(opened))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/callback`,
    received,
    answer: (next) => {
      make = next
    },
    count: (requests) =>
      received.length >= requests
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ requests, resolve })),
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
