/** Starts ripgrep: fixed arguments that keep it inside the workspace, bounded output, ended on abort. */
import { spawn } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { AppError } from '../../protocol/errors.ts'
import type { Sandbox } from '../../protocol/sandbox.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import { createOutputFolder, outputFile } from '../model-copy.ts'

const TIME_MS = 30_000
/** Output read before ripgrep is ended; what is then known is a lower bound. */
const MOST_BYTES = 64 * 1024 * 1024

/** The packaged ripgrep, else the system's; undefined when there is none. */
export function findRipgrep(): string | undefined {
  return [packaged(), '/usr/bin/rg', '/usr/local/bin/rg'].find(
    (path) => path !== undefined && existsSync(path),
  )
}

function packaged(): string | undefined {
  const name = `@vscode/ripgrep-${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    return createRequire(require.resolve('@vscode/ripgrep')).resolve(`${name}/bin/rg`)
  } catch {
    // Installed without optional packages, or a platform that has none.
    return undefined
  }
}

/** What every search has in common: no configuration, no links, one file system, `.git` left out. */
export function commonArguments(includeIgnored: boolean): string[] {
  return [
    '--no-config',
    '--no-messages',
    '--color=never',
    '--one-file-system',
    '--hidden',
    ...(includeIgnored ? ['--no-ignore'] : ['--no-ignore-global', '--no-ignore-parent', '--no-require-git']),
  ]
}

export interface SearchEnd {
  /** False when output or time ran out before the end. */
  readonly complete: boolean
}

/** Where ripgrep runs and what parts its records. */
export interface SearchPlace {
  readonly folder: string
  readonly separator: string
}

/** Runs ripgrep in `folder` and hands each record (ended by `separator`) to `take`. */
export function runRipgrep(
  program: string,
  args: readonly string[],
  where: SearchPlace,
  take: (record: string) => void,
  ctx: Pick<ToolContext, 'sandbox' | 'privateDir' | 'callId'>,
  signal: AbortSignal,
): Promise<SearchEnd> {
  const { runTrusted } = ctx.sandbox
  return runTrusted
    ? searchInBroker(runTrusted, [program, ...args], where, take, ctx, signal)
    : searchHere(program, args, where, take, signal)
}

/** The sandbox's broker starts it, and its output waits in a file: a large service starts processes slowly. */
async function searchInBroker(
  runTrusted: NonNullable<Sandbox['runTrusted']>,
  argv: [string, ...string[]],
  where: SearchPlace,
  take: (record: string) => void,
  ctx: Pick<ToolContext, 'privateDir' | 'callId'>,
  signal: AbortSignal,
): Promise<SearchEnd> {
  createOutputFolder(ctx.privateDir)
  const outputPath = `${outputFile(ctx.privateDir, ctx.callId, 'txt').path}.found`
  try {
    const { code, complaint } = await runTrusted(
      { argv, cwd: where.folder, outputPath, outputBytes: MOST_BYTES, timeoutMs: TIME_MS },
      signal,
    )
    signal.throwIfAborted()
    const records = splitRecords(where.separator, take)
    let bytes = 0
    for await (const chunk of createReadStream(outputPath)) {
      bytes += chunk.length
      records(chunk)
    }
    return searchEnd(code ?? null, bytes, complaint)
  } finally {
    await rm(outputPath, { force: true })
  }
}

/** A record that was cut off at the end is left out. */
function splitRecords(separator: string, take: (record: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const records = (rest + decoder.decode(chunk, { stream: true })).split(separator)
    rest = records.pop() ?? ''
    for (const record of records) take(record)
  }
}

/** 0: found, 1: nothing found, 2: an error, null: ended by us. */
function searchEnd(code: number | null, bytes: number, complaint: string): SearchEnd {
  if (code === 2 && bytes === 0) throw failed(complaint)
  return { complete: code !== null }
}

function searchHere(
  program: string,
  args: readonly string[],
  where: SearchPlace,
  take: (record: string) => void,
  signal: AbortSignal,
): Promise<SearchEnd> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_MS)])
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: where.folder, env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
    const records = splitRecords(where.separator, take)
    let bytes = 0
    let complaint = ''
    const stop = (): void => void child.kill('SIGKILL')
    limit.addEventListener('abort', stop, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) return stop()
      records(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 2_000) complaint += chunk.toString()
    })
    child.once('error', (error) => reject(failed(error.message)))
    child.once('close', (code) => {
      limit.removeEventListener('abort', stop)
      if (signal.aborted) return reject(signal.reason)
      try {
        resolve(searchEnd(code, bytes, complaint))
      } catch (error) {
        reject(error)
      }
    })
  })
}

function failed(complaint: string): AppError {
  const line = complaint.split('\n').filter(Boolean).slice(0, 6).join(' ').slice(0, 500)
  return new AppError('tool.invalid_argument', `The search could not be made: ${line || 'no reason given'}`, {
    hint: 'Check the pattern and the glob, or use mode "literal".',
  })
}
