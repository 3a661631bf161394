/** The service as its own process, so that a test can kill it like a machine does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { startArguments } from '../../support/start-arguments.ts'

export interface ServiceProcess {
  readonly pid: number
  /** Address of its pages; empty when it died before it listened. */
  url(): string
  /** Everything written to standard error so far. */
  log(): string
  /** Everything written to standard output so far. */
  output(): string
  /** Resolves with the signal that ended it. */
  ended(): Promise<string | null>
  /** Resolves with its exit code; null when a signal ended it. */
  code(): Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts `serve` and resolves when it listens, or when it died before (a fault point at the start). */
export async function startService(
  configFile: string,
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const service = spawnService(configFile, env)
  await service.listening
  return service
}

/** Starts `serve` at once; `listening` resolves when it listens or was killed, and rejects when it refused to start. */
export function spawnService(
  configFile: string,
  env: Record<string, string> = {},
): ServiceProcess & { readonly listening: Promise<void> } {
  const child: ChildProcess = spawn(process.execPath, [...startArguments(), '--config', configFile], {
    env: { PATH: process.env['PATH'], LANG: 'en_US.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk
  })
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  let url = ''
  let output = ''
  const said = new Promise<void>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      url ||= /listens on (\S+)/.exec(output)?.[1] ?? ''
      if (url !== '') resolve()
    })
  })
  const ended = exit.then(([code]) => {
    if (code !== null) throw new Error(`the service did not start (${code}):\n${log}`)
  })
  return {
    listening: Promise.race([said, ended]),
    pid: child.pid ?? 0,
    url: () => url,
    log: () => log,
    output: () => output,
    ended: async () => (await exit)[1],
    code: async () => (await exit)[0],
    kill: async (signal) => {
      child.kill(signal)
      await exit
    },
  }
}
