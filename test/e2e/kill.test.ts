/** R1–R8: the process dies at every step of the main job; the next start loses and doubles nothing. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type AppInfo,
  createFeishuSimulator,
  type FeishuSimulator,
  type TranscriptMessage,
  type UserInfo,
} from '../../adapters/feishu/simulator/index.ts'
import { FAULT_POINTS, type FaultPoint } from '../../src/house/faults.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'

interface Stage {
  readonly simulator: FeishuSimulator
  readonly bot: AppInfo
  readonly admin: UserInfo
  readonly chatId: string
  readonly config: string
  readonly dataDir: string
}

let stage: Stage
let service: ServiceProcess | undefined

afterEach(async () => {
  await service?.kill('SIGKILL')
  await stage.simulator.stop()
})

async function openStage(): Promise<Stage> {
  const simulator = await createFeishuSimulator({
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger: createCollectingLogger(),
  })
  const { control } = simulator
  const bot = control.createApp({ name: '驿站' })
  const admin = control.createUser({ name: '王芳' })
  const chatId = control.createChat({ name: '群', members: [admin.userId], bots: [bot.appId] })
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-kill-'))
  const config = join(dataDir, 'yizhan.yaml')
  writeFileSync(
    config,
    `server: { port: 0 }
dataDir: ${dataDir}/data
bots:
  - { id: ops, platform: feishu, appId: ${bot.appId}, appSecret: "${bot.appSecret}", domain: "${simulator.url}" }
access: { admins: ["feishu:${control.openId(admin.userId, bot.appId)}"] }
`,
  )
  return { simulator, bot, admin, chatId, config, dataDir }
}

const answers = (): TranscriptMessage[] =>
  stage.simulator.control.transcript(stage.chatId).filter((message) => message.sender.kind === 'bot')
const finals = (): TranscriptMessage[] => answers().filter((message) => /已完成|未完成/.test(message.text))
const card = (): TranscriptMessage | undefined =>
  answers().find((message) => message.text.includes('允许') && !message.text.includes('处理人'))

function until<T>(probe: () => T | undefined | false, what: string, ms = 25_000): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const value = probe()
      if (!value) return
      off()
      clearInterval(poll)
      clearTimeout(timer)
      resolve(value)
    }
    const off = stage.simulator.control.onChange(look)
    const poll = setInterval(look, 200)
    const timer = setTimeout(() => {
      off()
      clearInterval(poll)
      const seen = answers()
        .map((message) => message.text)
        .join('\n---\n')
      reject(new Error(`waited for ${what}; the chat shows:\n${seen}\n${service?.log() ?? ''}`))
    }, ms)
    look()
  })
}

const ask = (text: string): string =>
  stage.simulator.control.say(stage.chatId, stage.admin.userId, [{ at: stage.bot.appId }, ` ${text}`])
const allow = (messageId: string) =>
  stage.simulator.control.click({ userId: stage.admin.userId, messageId, on: '允许' })

/** Lines that the command wrote, over all workspaces: how often it ran. */
function timesRun(): number {
  const root = join(stage.dataDir, 'data', 'workspaces')
  return readdirSync(root)
    .map((name) => join(root, name, 'count.txt'))
    .reduce((sum, file) => {
      try {
        return sum + readFileSync(file, 'utf8').split('\n').filter(Boolean).length
      } catch {
        return sum
      }
    }, 0)
}

interface Scene {
  /** What the person says, and whether a click follows. */
  readonly say: string
  readonly approve: boolean
  readonly fault: string
  readonly check: () => void
}

/** The table: a fault point without a line here does not compile. */
const table: Readonly<Record<FaultPoint, Scene>> = {
  inbox_stored: { say: '你好', approve: false, fault: 'inbox_stored', check: () => {} },
  model_asked: { say: '你好', approve: false, fault: 'model_asked', check: () => {} },
  mid_stream: { say: '你好', approve: false, fault: 'mid_stream:2', check: () => {} },
  intent_written: {
    say: '运行 echo x >> count.txt',
    approve: true,
    fault: 'intent_written',
    check: () => expect(timesRun()).toBe(0),
  },
  effect_done: {
    say: '运行 echo x >> count.txt',
    approve: true,
    fault: 'effect_done',
    check: () => expect(timesRun()).toBe(1),
  },
  approval_decided: {
    say: '运行 echo x >> count.txt',
    approve: true,
    fault: 'approval_decided',
    check: () => expect(timesRun()).toBe(1),
  },
  message_sent: { say: '你好', approve: false, fault: 'message_sent', check: () => {} },
}

describe('kill -9 at every step', () => {
  it.each(FAULT_POINTS)(
    '%s: one answer after the restart, no effect twice',
    { timeout: 90_000 },
    async (point) => {
      const scene = table[point]
      stage = await openStage()
      service = await startService(stage.config, { FAULT_AT: scene.fault })
      const messageId = ask(scene.say)
      if (scene.approve) await allow((await until(card, 'the card')).messageId).catch(() => {})
      expect(await service.ended()).toBe('SIGKILL')

      service = await startService(stage.config)
      if (point === 'inbox_stored') stage.simulator.control.faults.redeliver(messageId)
      await until(() => finals()[0], 'the answer')
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(finals()).toHaveLength(1)
      scene.check()
    },
  )

  it('waiting for an approval: the pending card still works after three restarts', {
    timeout: 120_000,
  }, async () => {
    stage = await openStage()
    service = await startService(stage.config)
    ask('运行 echo x >> count.txt')
    const pending = await until(card, 'the card')
    for (let round = 0; round < 3; round++) {
      await service.kill('SIGKILL')
      service = await startService(stage.config)
    }
    const outcome = await until(
      () => stage.simulator.control.connections(stage.bot.appId) > 0 && allow(pending.messageId),
      'a connection',
    )
    expect((await outcome).toast?.type).toBe('success')
    await until(() => finals()[0], 'the answer')
    expect(timesRun()).toBe(1)
    expect(finals()).toHaveLength(1)
  })
})
