/** Immutable copies of what will be sent: the very bytes that were there when the decision was made. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutboundFile } from '../protocol/outbound.ts'
import type { Random } from '../protocol/ports.ts'
import type { ReportFile } from '../protocol/report.ts'
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

/** Copies a picture or a file of a report, from the disk or from memory. */
export async function snapshotReport(
  dataDir: string,
  sessionId: string,
  source: { file: ReportFile; kind: OutboundFile['kind'] },
  random: Random,
): Promise<OutboundFile> {
  const { file, kind } = source
  if ('path' in file)
    return snapshotFile(dataDir, sessionId, { path: file.path, name: file.name, kind }, random)
  return snapshotBytes(dataDir, sessionId, { name: file.name, bytes: file.bytes, kind }, random)
}

/** Stores a text of the service's own as a file to send. */
export async function snapshotText(
  dataDir: string,
  sessionId: string,
  source: { name: string; text: string },
  random: Random,
): Promise<OutboundFile> {
  const bytes = Buffer.from(source.text)
  return snapshotBytes(dataDir, sessionId, { name: source.name, bytes, kind: 'file' }, random)
}

function snapshotBytes(
  dataDir: string,
  sessionId: string,
  source: { name: string; bytes: Uint8Array; kind: OutboundFile['kind'] },
  random: Random,
): OutboundFile {
  const { name, bytes, kind } = source
  const path = newPath(dataDir, sessionId, random)
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 })
  return { path, name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), kind }
}

function newPath(dataDir: string, sessionId: string, random: Random): string {
  const folder = join(prepareFolders(dataDir, sessionId).privateDir, 'outbox')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, random.id())
}
