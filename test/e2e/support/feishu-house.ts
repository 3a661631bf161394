/** A whole service against the Feishu simulator, in this process, on real time: nothing inside is replaced. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AppInfo,
  createFeishuSimulator,
  type FeishuControl,
  type FeishuSimulator,
  type TranscriptMessage,
  type UserInfo,
} from '../../../adapters/feishu/simulator/index.ts'
import { type App, startApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createSystemRandom } from '../../../src/system/random.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'

export interface FeishuHouse {
  readonly app: App
  readonly simulator: FeishuSimulator
  readonly control: FeishuControl
  readonly bot: AppInfo
  /** 王芳 is the administrator; 张三 and 李四 are not. */
  readonly people: { readonly admin: UserInfo; readonly member: UserInfo; readonly other: UserInfo }
  readonly chatId: string
  readonly dataDir: string
  readonly lines: readonly CollectedLine[]
  /** Says a text with a mention of the bot; resolves with the message's id. */
  ask(text: string, options?: { from?: UserInfo; chatId?: string }): string
  /** Messages of the bot in a chat, as they look now. */
  answers(chatId?: string): TranscriptMessage[]
  /** Resolves with the first truthy value of `probe`, looked at after every change; rejects after `ms`. */
  until<T>(probe: () => T | undefined | false, what: string, ms?: number): Promise<T>
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface HouseOptions {
  /** YAML below the `bots` section: models, approval, … */
  readonly yaml?: string
  readonly env?: Record<string, string>
}

export async function openFeishuHouse(options: HouseOptions = {}): Promise<FeishuHouse> {
  const clock = createSystemClock()
  const random = createSystemRandom()
  const logger = createCollectingLogger()
  const simulator = await createFeishuSimulator({ clock, random, logger: createCollectingLogger() })
  const { control } = simulator
  const bot = control.createApp({ name: '驿站' })
  const [admin, member, other] = ['王芳', '张三', '李四'].map((name) => control.createUser({ name })) as [
    UserInfo,
    UserInfo,
    UserInfo,
  ]
  const chatId = control.createChat({
    name: '测试群',
    members: [admin.userId, member.userId, other.userId],
    bots: [bot.appId],
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-house-'))
  const text = `
server: { port: 0 }
dataDir: ${dataDir}
bots:
  - { id: ops, platform: feishu, appId: ${bot.appId}, appSecret: "${bot.appSecret}", domain: "${simulator.url}" }
access: { admins: ["feishu:${control.openId(admin.userId, bot.appId)}"] }
${options.yaml ?? ''}
`
  const loaded = parseConfig(text, { file: 'house.yaml', env: options.env ?? {} })
  const start = (): Promise<App> =>
    startApp({ loaded, clock, random, logger, pid: process.pid, version: '0.0.0', demoPieceMs: 0 })
  let app = await start()

  const until = <T>(probe: () => T | undefined | false, what: string, ms = 15_000): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = (): boolean => {
        const value = probe()
        if (!value) return false
        off()
        clearTimeout(timer)
        resolve(value)
        return true
      }
      const off = control.onChange(() => void look())
      const timer = setTimeout(() => {
        off()
        reject(new Error(`waited ${ms} ms for ${what}\n${describe(control, chatId, logger.lines)}`))
      }, ms)
      look()
    })

  return {
    get app() {
      return app
    },
    simulator,
    control,
    bot,
    people: { admin, member, other },
    chatId,
    dataDir,
    lines: logger.lines,
    ask: (words, { from = member, chatId: chat = chatId } = {}) =>
      control.say(chat, from.userId, [{ at: bot.appId }, ` ${words}`]),
    answers: (chat = chatId) => control.transcript(chat).filter((message) => message.sender.kind === 'bot'),
    until,
    restart: async () => {
      await app.stop(0)
      app = await start()
    },
    stop: async () => {
      await app.stop(0)
      await simulator.stop()
    },
  }
}

function describe(control: FeishuControl, chatId: string, lines: readonly CollectedLine[]): string {
  const messages = control
    .transcript(chatId)
    .map((message) => `  ${message.sender.name} [${message.type}] ${message.text.slice(0, 300)}`)
  const trouble = lines.filter((line) => line.level !== 'info' && line.level !== 'debug').slice(-8)
  return [
    ...messages,
    ...trouble.map(
      (line) =>
        `  ${line.level} ${line.message} ${String((line.fields['error'] as Error | undefined)?.stack ?? JSON.stringify(line.fields))}`,
    ),
  ].join('\n')
}
