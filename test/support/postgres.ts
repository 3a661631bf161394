/** A PostgreSQL of the test's own: temporary folder, free port on loopback, an unprivileged user. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort, unprivileged } from './unprivileged.ts'

export interface TestPostgres {
  /** Of the superuser; databases of one's own are made through it. */
  readonly url: string
  stop(): Promise<void>
}

const READY = /database system is ready to accept connections/

/** Folder of the newest server's programs; undefined when PostgreSQL is not installed. */
function postgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return undefined
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')))
}

export async function startPostgres(): Promise<TestPostgres> {
  const bin = postgresPrograms()
  if (bin === undefined) throw new Error('PostgreSQL is missing: apt install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-postgres-'))
  const as = unprivileged()
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid ?? as.uid)
  const data = join(folder, 'data')
  const options = { ...as, cwd: folder, env: { LANG: 'C.UTF-8', PATH: process.env['PATH'] ?? '' } }
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'yizhan', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  })
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const argv = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  const server = spawn(join(bin, 'postgres'), argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    const lines = createInterface({ input: server.stderr })
    lines.on('line', (line) => READY.test(line) && resolve())
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}`)))
  })
  return {
    url: `postgres://yizhan@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
