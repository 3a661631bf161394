/** A Redis of the test's own: temporary folder, free port on loopback; can be taken away and brought back. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './unprivileged.ts'

const SERVER = '/usr/bin/redis-server'

export interface TestRedis {
  readonly url: string
  /** Ends the server at once; what it held is lost. */
  kill(): Promise<void>
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-redis-'))
  const port = await freePort()
  const settings = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction']
  const argv = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...settings]
  let server: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const child = spawn(SERVER, argv, { stdio: ['ignore', 'pipe', 'ignore'] })
    server = child
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => /Ready to accept/.test(line) && resolve())
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    })
  }
  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
