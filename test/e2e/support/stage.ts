/**
 * A company and, in front of it, the service as its own process, which a test kills and starts again. Every
 * test opens one of its own: such tests mostly wait, so several of them are open at once.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSystemClock } from '../../../src/system/clock.ts'
import { type Company, type Shown, until } from './company.ts'
import { openFeishuCompany } from './feishu-company.ts'
import { configText } from './house.ts'
import { type ServiceProcess, startService } from './service-process.ts'
import { openWecomCompany } from './wecom-company.ts'

export interface Stage extends AsyncDisposable {
  readonly company: Company
  readonly dataDir: string
  /** Starts the service, which a fault point such as `mid_stream:2` kills; resolves when it listens or has died. */
  start(fault?: string, env?: Record<string, string>): Promise<void>
  /** Address of the pages of the last start. */
  url(): string
  /** Resolves with the signal that ended the last start. */
  ended(): Promise<string | null>
  kill(signal: NodeJS.Signals): Promise<void>
  /** Resolves with the first truthy value of `probe`; rejects with what the chat shows and the service said. */
  waitFor<T>(probe: () => T | undefined | false, what: string): Promise<T>
  /** Resolves when the bot is connected. */
  online(): Promise<void>
  /** The first message that can be allowed. */
  card(): Promise<Shown>
  /** Waits for longer than a doubled answer would need after the first. */
  aftermath(): Promise<void>
}

const COMPANIES = { feishu: openFeishuCompany, wecom: openWecomCompany }
const AFTERMATH_MS = 1_500

/** Nothing is started yet; `yaml` comes below the `bots` section. */
export async function openStage(
  platform: keyof typeof COMPANIES,
  yaml: (company: Company) => string = () => '',
): Promise<Stage> {
  const company: Company = await COMPANIES[platform](createSystemClock())
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-stage-'))
  const dataDir = join(folder, 'data')
  const config = join(folder, 'yizhan.yaml')
  writeFileSync(config, configText(company, dataDir, yaml(company)))
  let service: ServiceProcess | undefined
  const running = (): ServiceProcess => {
    if (!service) throw new Error('nothing was started')
    return service
  }
  const waitFor: Stage['waitFor'] = (probe, what) =>
    until(company, probe, () => {
      const seen = company.shown().map((message) => message.text)
      return `${what}; the chat shows:\n${seen.join('\n---\n')}\n${service?.log() ?? ''}`
    })
  return {
    ...{ company, dataDir, waitFor },
    start: async (fault, env = {}) => {
      service = await startService(config, { ...env, ...(fault === undefined ? {} : { FAULT_AT: fault }) })
    },
    url: () => running().url(),
    ended: () => running().ended(),
    kill: (signal) => running().kill(signal),
    online: async () => void (await waitFor(() => company.online(), 'a connection')),
    card: () => waitFor(() => company.shown().find(({ buttons }) => buttons.includes('允许')), 'the card'),
    aftermath: () => pause(AFTERMATH_MS),
    [Symbol.asyncDispose]: async () => {
      await service?.kill('SIGKILL')
      await company.stop()
    },
  }
}
