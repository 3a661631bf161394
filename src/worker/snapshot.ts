/** Immutable copies of what will be sent: the very bytes that were there when the decision was made. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutboundFile } from '../protocol/outbound.ts'
import type { Random } from '../protocol/ports.ts'
import { prepareFolders } from '../session/workspace.ts'

/** Copies a file that has already passed the tool's checks. */
export async function snapshotFile(
  dataDir: string,
  sessionId: string,
  source: { path: string; name: string; kind: OutboundFile['kind'] },
  random: Random,
): Promise<OutboundFile> {
  const path = newPath(dataDir, sessionId, random)
  const hash = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(
    createReadStream(source.path),
    measure,
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return { path, name: source.name, bytes, sha256: hash.digest('hex'), kind: source.kind }
}

/** Stores a text of the service's own as a file to send. */
export async function snapshotText(
  dataDir: string,
  sessionId: string,
  source: { name: string; text: string },
  random: Random,
): Promise<OutboundFile> {
  const path = newPath(dataDir, sessionId, random)
  const bytes = Buffer.from(source.text)
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 })
  return {
    path,
    name: source.name,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    kind: 'file',
  }
}

function newPath(dataDir: string, sessionId: string, random: Random): string {
  const folder = join(prepareFolders(dataDir, sessionId).privateDir, 'outbox')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, random.id())
}
