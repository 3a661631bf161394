/** The reference: a bare node:http server that verifies, decrypts and parses the same events, and keeps nothing. */
import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [encryptKey = '', verificationToken = ''] = process.argv.slice(2)
const key = createHash('sha256').update(encryptKey).digest()

function accepts(headers: NodeJS.Dict<string | string[]>, body: Buffer): boolean {
  const timestamp = String(headers['x-lark-request-timestamp'])
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false
  const expected = createHash('sha256')
    .update(timestamp + String(headers['x-lark-request-nonce']) + encryptKey)
    .update(body)
    .digest()
  const given = Buffer.from(String(headers['x-lark-signature'] ?? ''), 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  const outer = JSON.parse(body.toString('utf8')) as { encrypt: string }
  const bytes = Buffer.from(outer.encrypt, 'base64')
  const cipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16))
  const event = JSON.parse(cipher.update(bytes.subarray(16), undefined, 'utf8') + cipher.final('utf8')) as {
    header: { token: string }
  }
  return event.header.token === verificationToken
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.statusCode = accepts(request.headers, Buffer.concat(chunks)) ? 200 : 401
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listens on ${(server.address() as AddressInfo).port}\n`),
)
