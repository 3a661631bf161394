/** The service in its own process between a model that talks at a given pace and a platform that takes its time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RequestEntry } from '../../adapters/feishu/simulator/control-view.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { until } from '../e2e/support/company.ts'
import { startEndpoint } from '../e2e/support/endpoint.ts'
import { type FeishuCompany, openFeishuCompany } from '../e2e/support/feishu-company.ts'
import { configText } from '../e2e/support/house.ts'
import { startService } from '../e2e/support/service-process.ts'

/** One answer as its readers saw it, milliseconds. */
export interface Watched {
  readonly firstMs: number
  readonly finalMs: number
  /** At every change of the card: age of the oldest word that was missing before it. */
  readonly staleness: readonly number[]
}

export interface CardStage {
  ask(chat: number, words: number, perSecond: number): Promise<Watched>
  /** Counts from here on. */
  forget(): void
  traffic(): { busiestCard: number; refusals: number }
  stop(): Promise<void>
}

const CHATS = 20
const LONGEST_MS = 240_000

export async function openCardStage(apiMs: number): Promise<CardStage> {
  const company = await openFeishuCompany(createSystemClock())
  const { control } = company.simulator
  const spoken = new Map<string, number[]>()
  const endpoint = await startEndpoint('openai', ({ said }) => {
    const [, tag = '', words = '0', perSecond = '1'] = /(问\d+) (\d+) (\d+)/.exec(said.at(-1) ?? '') ?? []
    const times: number[] = []
    spoken.set(tag, times)
    return { text: talk(Number(words), 1_000 / Number(perSecond), times) }
  })
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
  const config = join(folder, 'yizhan.yaml')
  const yaml = `log: { level: error }\nlimits: { concurrency: 64 }\n${endpoint.yaml}`
  writeFileSync(config, configText(company, join(folder, 'data'), yaml))
  const service = await startService(config)
  await until(
    company,
    () => company.online(),
    () => 'a connection',
  )
  // Not before: what nobody was there to hear is told again after fifteen seconds.
  const chats = Array.from({ length: CHATS }, (_, index) =>
    company.addGroup(`第${index}群`, Object.values(company.people)),
  )
  await greeted(company, chats)
  control.faults.onRequest({ delayMs: apiMs, times: Number.MAX_SAFE_INTEGER })
  let asked = 0
  let since = 0
  return {
    ask: async (chat, words, perSecond) => {
      const chatId = chats[chat] ?? company.chatId
      const tag = `问${++asked}`
      const watched = watch(company, chatId, () => spoken.get(tag) ?? [], words)
      await company.say(`${tag} ${words} ${perSecond}`, { chatId })
      return watched
    },
    forget: () => {
      since = Date.now()
    },
    traffic: () => trafficOf(control.requests().filter(({ at }) => at >= since)),
    stop: async () => {
      await service.kill('SIGKILL')
      await endpoint.stop()
      await company.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function* talk(words: number, everyMs: number, times: number[]): AsyncIterable<string> {
  const began = performance.now()
  for (let i = 0; i < words; i++) {
    await pause(Math.max(0, began + i * everyMs - performance.now()))
    times.push(performance.now())
    yield `词${i} `
  }
}

/** The bot says hello in every group; that must be over. */
async function greeted(company: FeishuCompany, chats: readonly string[]): Promise<void> {
  await until(
    company,
    () => chats.every((chat) => company.shown(chat).length > 0),
    () => 'the greetings',
  )
}

/** Looks at the messages that follow in a chat until all are final and the last word is there: a long answer has several. */
async function watch(
  company: FeishuCompany,
  chatId: string,
  times: () => readonly number[],
  words: number,
): Promise<Watched> {
  const before = company.shown(chatId).length
  const staleness: number[] = []
  let shown = 0
  let firstMs = 0
  const look = (): number | undefined => {
    const messages = company.shown(chatId).slice(before)
    const last = messages.flatMap(({ text }) => text.match(/词\d+/g) ?? []).at(-1)
    if (!last) return undefined
    const now = performance.now()
    const count = Number(last.slice(1)) + 1
    if (count > shown) {
      const missing = times()[shown]
      if (missing !== undefined) staleness.push(now - missing)
      if (shown === 0) firstMs = now - (times()[0] ?? now)
      shown = count
    }
    return count === words && messages.every(({ finished }) => finished) ? now : undefined
  }
  // Looks only when its own chat changes: twenty chats are watched at once.
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const off = company.simulator.control.onChange((change) => {
    const at = change.chatId === chatId ? look() : undefined
    if (at !== undefined) resolve(at)
  })
  const timer = setTimeout(() => reject(new Error(`no end of an answer in ${chatId}`)), LONGEST_MS)
  const endedAt = await promise.finally(() => {
    off()
    clearTimeout(timer)
  })
  return { firstMs, finalMs: endedAt - (times().at(-1) ?? endedAt), staleness }
}

function trafficOf(requests: readonly RequestEntry[]): {
  busiestCard: number
  refusals: number
} {
  const byCard = Map.groupBy(
    requests.flatMap((request) => {
      const card = /\/cardkit\/v1\/cards\/([^/?]+)/.exec(request.path)?.[1]
      return card === undefined ? [] : [{ card, at: request.at }]
    }),
    ({ card }) => card,
  )
  const busiest = [...byCard.values()].map((calls) => {
    const at = calls.map((call) => call.at).sort((a, b) => a - b)
    return Math.max(...at.map((start, index) => at.slice(index).filter((one) => one < start + 1_000).length))
  })
  return { busiestCard: Math.max(0, ...busiest), refusals: requests.filter(({ code }) => code !== 0).length }
}
