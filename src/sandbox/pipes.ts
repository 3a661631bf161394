/**
 * Real pipes for commands. What Node calls a pipe is a socket, and a socket cannot be opened again as
 * `/dev/stdout` or `/dev/stderr`, which scripts do; a FIFO that everybody may open can.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Pipe {
  readonly reader: Socket
  /** For a child's `stdio`; to be closed here as soon as the child has it. */
  readonly writer: number
}

export interface PipePool {
  take(): Promise<Pipe>
}

/** Pipes are made in batches, because making them takes a process; nothing of them stays on the disk. */
const BATCH = 4

const run = promisify(execFile)

/** A pool for one broker process. */
export function createPipePool(): PipePool {
  const ready: { read: number; write: number }[] = []
  let filling: Promise<void> | undefined
  const fill = async (): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'yizhan-pipes-'))
    try {
      const names = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)))
      await run('/usr/bin/mkfifo', ['-m', '666', ...names], { env: {} })
      ready.push(...names.map(openBoth))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  const refill = (): Promise<void> => {
    filling ??= fill().finally(() => {
      filling = undefined
    })
    return filling
  }
  return {
    async take() {
      for (;;) {
        const pair = ready.pop()
        // Refilled ahead, so that the next command need not wait; if this fails, that command tries again and reports why.
        if (pair && ready.length === 0) refill().catch(() => {})
        if (pair) return open(pair)
        await refill()
      }
    },
  }
}

function open(pair: { readonly read: number; readonly write: number }): Pipe {
  return { reader: new Socket({ fd: pair.read, readable: true, writable: false }), writer: pair.write }
}

function openBoth(path: string): { read: number; write: number } {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { read, write: openSync(path, constants.O_WRONLY) }
  } catch (error) {
    closeSync(read)
    throw error
  }
}
