/** Bodies as they arrive, byte for byte, up to a limit. */
import type { IncomingMessage } from 'node:http'

/** Collects the whole body and calls `read`; or once `refuse`, when it grew over the limit or broke off. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  refuse: (status: 413 | 400) => void,
  read: (body: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let ended = false
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limit) return void chunks.push(chunk)
    request.pause()
    if (!ended) refuse(413)
    ended = true
  })
  request.on('end', () => {
    if (ended) return
    ended = true
    const [only] = chunks
    read(only && chunks.length === 1 ? only : Buffer.concat(chunks))
  })
  // A client that goes away before the end is an error, too.
  request.on('error', () => {
    if (!ended) refuse(400)
    ended = true
  })
}
