/** Cuts what the model gets to see of a long result, and keeps the whole where it can be read again. */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Results up to this many characters are handed over whole. */
const COPY_CHARACTERS = 8_192
const KEPT = 3_000

/** Folder inside a session's private folder, and the prefix with which tools name its files. */
const OUTPUTS = 'outputs'
const OUTPUT_PREFIX = 'output:'

interface ModelCopy {
  readonly text: string
  /** Absolute path of the whole text, when the copy was cut. */
  readonly fullPath?: string
}

/** File that holds everything a call put out; `name` is what `read_file` and `grep` take as `path`. */
export function outputFile(
  privateDir: string,
  callId: string,
  kind: 'log' | 'txt' | 'json' = 'log',
): { readonly path: string; readonly name: string } {
  // A call id comes from the model's provider: only its digest may become part of a path.
  const id = createHash('sha256').update(callId).digest('hex').slice(0, 16)
  const file = `${id}.${kind}`
  return { path: join(privateDir, OUTPUTS, file), name: `${OUTPUT_PREFIX}${file}` }
}

/** The private file that an `output:` name means, or undefined when it is no such name. */
export function namedOutput(privateDir: string, name: string): string | undefined {
  const match = /^output:([0-9a-f]{16}\.(?:log|txt))$/.exec(name)
  return match?.[1] === undefined ? undefined : join(privateDir, OUTPUTS, match[1])
}

export function createOutputFolder(privateDir: string): void {
  mkdirSync(join(privateDir, OUTPUTS), { recursive: true, mode: 0o700 })
}

/** First and last 3,000 characters of a text over 8,192, with a line that says how to read the rest. */
export async function modelCopy(
  text: string,
  where: { readonly privateDir: string; readonly callId: string },
): Promise<ModelCopy> {
  if (text.length <= COPY_CHARACTERS) return { text }
  const { path, name } = outputFile(where.privateDir, where.callId, 'txt')
  createOutputFolder(where.privateDir)
  await writeFile(path, text, { mode: 0o600 })
  return { text: cutMiddle(text, `read_file or grep with path "${name}" shows them`), fullPath: path }
}

/** Cuts out the middle of a text over `most` characters, never inside a code point. */
export function cutMiddle(text: string, how: string, most = COPY_CHARACTERS): string {
  if (text.length <= most) return text
  const kept = Math.min(KEPT, Math.floor(most / 2))
  const head = text.slice(0, wholeEnd(text, kept))
  const tail = text.slice(wholeStart(text, text.length - kept))
  const left = text.length - head.length - tail.length
  return `${head}\n… ${left} characters left out; ${how} …\n${tail}`
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
/** `at`, or one less when it would part a surrogate pair. */
export const wholeEnd = (text: string, at: number): number => (isLow(text.charCodeAt(at)) ? at - 1 : at)
/** `at`, or one more when it would part a surrogate pair. */
const wholeStart = (text: string, at: number): number => (isLow(text.charCodeAt(at)) ? at + 1 : at)
