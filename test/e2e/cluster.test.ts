/** Several processes on one PostgreSQL and one Redis: every message one answer, whoever dies. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type Company, until } from './support/company.ts'
import { startEndpoint } from './support/endpoint.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { configText, timesRun } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'
import { openWecomCompany } from './support/wecom-company.ts'

const COMPANIES = { feishu: openFeishuCompany, wecom: openWecomCompany }
/** Longer than a doubled answer would need after the first. */
const AFTERMATH_MS = 2_000
/**
 * A lease and a lock live for 30 s after their holder; a WeCom bubble of which nobody knows whether its last
 * frame arrived is not given up before its own end, 335 s.
 */
const TAKE_OVER_MS = 420_000

let postgres: TestPostgres
let redis: TestRedis
let company: Company
let services: ServiceProcess[]
let dataDir: string
let config: string
let database: string
let databases = 0

beforeAll(async () => {
  postgres = await startPostgres()
  redis = await startRedis()
})
afterAll(async () => {
  await redis.stop()
  await postgres.stop()
})
afterEach(async () => {
  await Promise.all(services.map((service) => service.kill('SIGKILL')))
  await company.stop()
})

async function query<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

/** A company, an empty database, and two processes in front of them that share a data folder. */
async function openStage(platform: keyof typeof COMPANIES, { yaml = '' } = {}): Promise<void> {
  company = await COMPANIES[platform](createSystemClock())
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-cluster-'))
  dataDir = join(folder, 'data')
  config = join(folder, 'yizhan.yaml')
  const name = `cluster${++databases}`
  await query(postgres.url, `create database ${name}`)
  database = postgres.url.replace(/\/postgres$/, `/${name}`)
  const shared = `database: ${database}\nredis: ${redis.url}\n${yaml}`
  writeFileSync(config, configText(company, dataDir, shared))
  services = []
  for (let index = 0; index < 2; index++) services.push(await startService(config))
  await waitFor(() => company.online(), 'a connection')
}

const waitFor = <T>(probe: () => T | undefined | false, what: string, ms?: number): Promise<T> =>
  until(company, probe, () => `${what}\n${services.map((service) => service.log()).join('\n---\n')}`, ms)

async function acknowledged(): Promise<number> {
  return (await query(database, 'select id from inbox')).length
}

/** How many runs each process has ended well, by its own metrics. */
async function runsByProcess(): Promise<number[]> {
  const texts = await Promise.all(services.map(async ({ url }) => (await fetch(`${url()}/metrics`)).text()))
  return texts.map((text) => {
    const counts = text.matchAll(/^yizhan_run_seconds_count\{[^}]*outcome="done"[^}]*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  })
}

async function* answer(question: string, onEnd: () => void): AsyncIterable<string> {
  yield '答：'
  await new Promise((resolve) => setTimeout(resolve, 50))
  yield question
  onEnd()
}

describe('R25: two processes', () => {
  it('fifty chats at once on feishu: each seen in its own order, by one process at a time, each answered', {
    timeout: 180_000,
  }, async () => {
    const seen = new Map<string, string[]>()
    const open = new Map<string, number>()
    let mostOpen = 0
    const endpoint = await startEndpoint('openai', ({ said }) => {
      const asked = said.flatMap((text) => text.match(/第\d+群 第\d题/g) ?? [])
      const [chat = ''] = asked.at(-1)?.split(' ') ?? []
      seen.set(chat, asked)
      open.set(chat, (open.get(chat) ?? 0) + 1)
      mostOpen = Math.max(mostOpen, open.get(chat) ?? 0)
      return { text: answer(asked.at(-1) ?? '', () => open.set(chat, (open.get(chat) ?? 0) - 1)) }
    })
    await using _end = { [Symbol.asyncDispose]: () => endpoint.stop() }
    await openStage('feishu', { yaml: endpoint.yaml })
    const { admin, member } = company.people
    const chats = Array.from({ length: 50 }, (_, index) => company.addGroup(`组 ${index}`, [admin, member]))
    for (const round of [1, 2]) {
      await Promise.all(
        chats.map((chatId, index) => company.say(`第${index}群 第${round}题`, { chatId, from: member })),
      )
      // The order of a chat is that of its messages: the second comes when the first has been taken.
      while ((await acknowledged()) < round * chats.length)
        await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const last = (chatId: string): string | undefined =>
      company.finals(chatId).findLast(({ text }) => text.includes('第2题'))?.text
    await waitFor(() => chats.every(last), 'all answers', 90_000)
    await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
    for (const [index, chatId] of chats.entries()) {
      expect(seen.get(`第${index}群`)).toEqual([`第${index}群 第1题`, `第${index}群 第2题`])
      const answers = company.finals(chatId).map(({ text }) => /第\d+群 第\d题/.exec(text)?.[0])
      // A message that came while the first was being answered may have got its answer with it.
      expect(answers.at(-1)).toBe(`第${index}群 第2题`)
      expect(answers.slice(0, -1)).toEqual(answers.length > 1 ? [`第${index}群 第1题`] : [])
    }
    expect(mostOpen).toBe(1)
    expect(Math.min(...(await runsByProcess()))).toBeGreaterThan(0)
  })

  it('a command on wecom: one card, one click, one run, by the process that holds the connection', {
    timeout: 180_000,
  }, async () => {
    await openStage('wecom')
    await company.say('运行 echo x >> count.txt')
    const card = await waitFor(
      () => company.shown().find((message) => message.buttons.includes('允许')),
      'the card',
    )
    expect(await company.press(card.id, '允许', company.people.admin)).toBe('changed')
    await waitFor(() => company.finals()[0], 'the answer')
    await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
    expect(company.finals()).toHaveLength(1)
    expect(timesRun(dataDir)).toBe(1)
  })
})

describe('R11: a process that dies', () => {
  it('the other takes over its connection and its runs: every message one answer', {
    timeout: 600_000,
  }, async () => {
    await openStage('wecom')
    const { admin, member } = company.people
    const chats = Array.from({ length: 8 }, (_, index) => company.addGroup(`组 ${index}`, [admin, member]))
    await Promise.all(chats.map((chatId) => company.say('你好', { chatId, from: member })))
    // What a platform has not been answered is its own to repeat; here everything was acknowledged.
    while ((await acknowledged()) < chats.length) await new Promise((resolve) => setTimeout(resolve, 5))
    await services[0]?.kill('SIGKILL')
    await waitFor(
      () => chats.every((chatId) => company.finals(chatId).length > 0),
      'all answers',
      TAKE_OVER_MS,
    )
    await waitFor(() => company.online(), 'the connection of the other', TAKE_OVER_MS)
    await company.say('还在吗', { chatId: chats[0] ?? '', from: member })
    await waitFor(() => company.finals(chats[0]).length === 2, 'the answer of the other', TAKE_OVER_MS)
    await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
    expect(chats.slice(1).map((chatId) => company.finals(chatId).length)).toEqual(chats.slice(1).map(() => 1))
  })
})

describe('R10: Redis', () => {
  it('goes away and comes back empty: nobody notices', { timeout: 180_000 }, async () => {
    await openStage('feishu')
    await redis.kill()
    await company.say('第一句')
    await waitFor(() => company.finals().length === 1, 'an answer without Redis')
    await redis.start()
    await company.say('第二句')
    await waitFor(() => company.finals().length === 2, 'an answer with the new Redis')
    await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
    expect(company.finals()).toHaveLength(2)
  })
})
