/** Starts what is measured: our service against the Feishu simulator, and the reference beside it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFeishuSimulator, type FeishuSimulator } from '../../adapters/feishu/simulator/index.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { startArguments } from '../support/start-arguments.ts'
import type { EventKeys } from './events.ts'

export interface Measured {
  readonly pid: number
  readonly port: number
  /** Milliseconds from spawn to listening. */
  readonly readyMs: number
  stop(): Promise<void>
}

export interface Tenant {
  readonly keys: EventKeys
  readonly simulator: FeishuSimulator
  readonly appSecret: string
}

export async function openTenant(): Promise<Tenant> {
  const simulator = await createFeishuSimulator({
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger: createCollectingLogger(),
    settings: { rateLimits: false },
  })
  const encryptKey = 'bench-encrypt-key'
  // No event types: what people say in the simulator is delivered by the bench itself, as ready requests.
  const app = simulator.control.createApp({ name: '驿站', encryptKey, eventMode: 'webhook', events: [] })
  const keys = {
    appId: app.appId,
    encryptKey,
    verificationToken: app.verificationToken,
    botOpenId: app.botOpenId,
  }
  return { keys, simulator, appSecret: app.appSecret }
}

/** Our service with one webhook bot; `yaml` adds sections, `role` as on the command line, `seed` fills its folder. */
export async function startOurs(
  tenant: Tenant,
  options: { role?: 'gateway'; yaml?: string; seed?: (dataDir: string) => Promise<void> } = {},
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
  const config = join(folder, 'yizhan.yaml')
  writeFileSync(
    config,
    `server: { port: 0 }
dataDir: ${folder}/data
log: { level: error }
bots:
  - { id: bench, platform: feishu, appId: ${tenant.keys.appId}, appSecret: "${tenant.appSecret}", domain: "${tenant.simulator.url}", transport: webhook, encryptKey: ${tenant.keys.encryptKey}, verificationToken: "${tenant.keys.verificationToken}" }
${options.yaml ?? ''}`,
  )
  await options.seed?.(join(folder, 'data'))
  const role = options.role === undefined ? [] : ['--role', options.role]
  const measured = await startProgram([...startArguments(), '--config', config, ...role])
  return {
    ...measured,
    stop: async () => {
      await measured.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `npm start` with these bots; without any: the playground. */
export async function startService(bots: readonly unknown[] = []): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
  const config = join(folder, 'yizhan.yaml')
  writeFileSync(
    config,
    `server: { port: 0 }\ndataDir: ${folder}/data\nlog: { level: error }\nbots: ${JSON.stringify(bots)}\n`,
  )
  const measured = await startProgram([...startArguments(), '--config', config])
  return {
    ...measured,
    stop: async () => {
      await measured.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function startReference(keys: EventKeys): Promise<Measured> {
  return startProgram(['test/bench/reference-server.ts', keys.encryptKey, keys.verificationToken])
}

/** Starts a program that says where it listens. */
export async function startProgram(args: readonly string[]): Promise<Measured> {
  const began = performance.now()
  const child: ChildProcess = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = /(?:listens on (?:http:\/\/[^:]+:)?|playground: http:\/\/[^:]+:)(\d+)/.exec(text)?.[1]
      if (found) resolve(Number(found))
    })
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
  })
  const readyMs = performance.now() - began
  return {
    pid: child.pid ?? 0,
    port,
    readyMs,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
