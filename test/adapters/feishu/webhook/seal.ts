import { createCipheriv, createHash } from 'node:crypto'
import type { RawRequest } from '../../../../src/protocol/adapter.ts'

/** Encrypts as the platform's documents say; the IV is fixed so that a failing test can be repeated. */
export function encrypt(plain: string, encryptKey: string): string {
  const iv = Buffer.alloc(16, 7)
  const key = createHash('sha256').update(encryptKey).digest()
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final()]).toString('base64')
}

export interface SealOptions {
  readonly key: string
  /** Seconds. */
  readonly timestamp: string
  /** Raw body; the signature is over exactly these bytes. */
  readonly body: string
  readonly headers?: RawRequest['headers']
}

/** A signed request as the platform sends it. */
export function signed(options: SealOptions): RawRequest {
  const nonce = 'nonce-1'
  const signature = createHash('sha256')
    .update(options.timestamp + nonce + options.key + options.body)
    .digest('hex')
  return {
    method: 'POST',
    path: '',
    query: new URLSearchParams(),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-lark-signature': signature,
      'x-lark-request-timestamp': options.timestamp,
      'x-lark-request-nonce': nonce,
      ...options.headers,
    },
    body: Buffer.from(options.body),
  }
}
