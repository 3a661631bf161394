/** A MariaDB of the test's own: temporary folder, free port on loopback, an unprivileged user. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort, unprivileged } from './unprivileged.ts'

export interface TestMariadb {
  readonly port: number
  stop(): Promise<void>
}

/** @param sql run once before connections are taken, one statement a line. */
export async function startMariadb(sql: readonly string[]): Promise<TestMariadb> {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-mariadb-'))
  const as = unprivileged()
  chmodSync(folder, 0o755)
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid ?? as.uid)
  const data = join(folder, 'data')
  const options = {
    ...as,
    cwd: folder,
    env: { LANG: 'C.UTF-8', PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  }
  mkdirSync(data)
  if (as.uid !== undefined) chownSync(data, as.uid, as.gid ?? as.uid)
  const port = await freePort()
  const argv = [
    ...['--no-defaults', `--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1'],
    ...[
      `--socket=${join(folder, 'socket')}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=16M',
    ],
    '--character-set-server=utf8mb4',
  ]
  await bootstrap(argv, sql, options)
  const server = spawn('mariadbd', argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stderr }).on(
      'line',
      (line) => /ready for connections/.test(line) && resolve(),
    )
    server.once('exit', (code) => reject(new Error(`mariadbd ended with ${code}`)))
  })
  return {
    port,
    stop: async () => {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes the system tables and the data, before anybody can connect. */
async function bootstrap(argv: readonly string[], sql: readonly string[], options: object): Promise<void> {
  const filling = spawn('mariadbd', [...argv, '--bootstrap'], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const system = ['mysql_system_tables.sql', 'mysql_system_tables_data.sql'].map((name) =>
    readFileSync(join('/usr/share/mysql', name), 'utf8'),
  )
  const statements = sql.map((statement) => `${statement};`)
  filling.stdin.end(['CREATE DATABASE mysql;', 'USE mysql;', ...system, ...statements, ''].join('\n'))
  const [code] = await once(filling, 'exit')
  if (code !== 0) throw new Error(`the test data was refused (${code})`)
}
