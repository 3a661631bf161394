import { createCipheriv, createHash } from 'node:crypto'

/** `base64(iv || AES-256-CBC)` with the SHA-256 of the encrypt key, as event bodies are sent. */
export function encryptBody(encryptKey: string, text: string, iv: Buffer): string {
  const key = createHash('sha256').update(encryptKey).digest()
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}

/** `X-Lark-Signature`: hex SHA-256 over timestamp, nonce, encrypt key and the exact body. */
export function signBody(timestamp: string, nonce: string, encryptKey: string, body: string): string {
  return createHash('sha256')
    .update(timestamp + nonce + encryptKey + body)
    .digest('hex')
}
