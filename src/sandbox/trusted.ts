/**
 * Runs a program of the service's own, such as a search, to its end. In the broker, because starting a
 * process from the large service would stop its event loop. Its output goes to a file, never through here.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Clock } from '../protocol/ports.ts'
import type { TrustedJob, TrustedResult } from './job.ts'

const COMPLAINT_CHARACTERS = 2_000
/** POSIX counts the file size limit in blocks of this many bytes. */
const BLOCK = 512
/** Sets the limit of what it may write, then becomes the program. */
const LIMITED = 'ulimit -f "$1" && shift && exec "$@"'

/** Runs to the end, the time limit or the abort; the latter two kill it. Rejects when it cannot start. */
export function runTrusted(job: TrustedJob, clock: Clock, abort: AbortSignal): Promise<TrustedResult> {
  const output = openSync(job.outputPath, 'w', 0o600)
  return new Promise((resolve, reject) => {
    const blocks = String(Math.ceil(job.outputBytes / BLOCK))
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', blocks, ...job.argv], {
      cwd: job.cwd,
      env: {},
      stdio: ['ignore', output, 'pipe'],
    })
    closeSync(output)
    let complaint = ''
    const stop = (): void => void child.kill('SIGKILL')
    const cancel = clock.after(job.timeoutMs, stop)
    abort.addEventListener('abort', stop, { once: true })
    if (abort.aborted) stop()
    const settle = (): void => {
      cancel()
      abort.removeEventListener('abort', stop)
    }
    child.stderr?.on('data', (chunk: Buffer) => {
      if (complaint.length < COMPLAINT_CHARACTERS) complaint += chunk.toString()
    })
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('close', (code) => {
      settle()
      resolve({ complaint, ...(code === null ? {} : { code }) })
    })
  })
}
