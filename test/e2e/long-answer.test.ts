import { afterEach, describe, expect, it, vi } from 'vitest'
import { createManualClock, type ManualClock } from '../support/clock.ts'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { openFeishuHouse } from './support/feishu-house.ts'
import type { House } from './support/house.ts'
import { openWecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 240_000 })

let house: House
let endpoint: Endpoint
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
})

/** 100 KB of Chinese in numbered lines, every tenth block a fence. */
const PARAGRAPHS = Array.from({ length: 420 }, (_, index) => {
  const line = `第${String(index).padStart(4, '0')}段：${'驿站在群聊与智能体之间传递消息与结果，'.repeat(4)}`
  return index % 10 === 9 ? `\`\`\`text\n${line}\n\`\`\`` : line
})
const ESSAY = PARAGRAPHS.join('\n\n')

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/第(\d{4})段/g)].map((match) => Number(match[1]))
const fences = (text: string): number => [...text.matchAll(/^```/gm)].length

function* pieces(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += 500) yield text.slice(at, at + 500)
}

describe('an answer of 100 KB', () => {
  it('feishu 22: arrives whole and in order, within the limits of every message, at most 5 a second', async () => {
    expect(Buffer.byteLength(ESSAY)).toBeGreaterThan(100_000)
    endpoint = await startEndpoint('openai', () => ({ text: pieces(ESSAY) }))
    const feishu = await openFeishuHouse({ yaml: endpoint.yaml })
    house = feishu
    await house.say('写一篇十万字节的文章')
    const texts = await whole()
    for (const text of texts) expect(fences(text) % 2).toBe(0)
    const sends = feishu.control
      .requests()
      .filter(
        ({ method, route }) => method === 'POST' && /im\/v1\/messages(\/:message_id\/reply)?$/.test(route),
      )
    for (const { code, body } of sends) {
      expect(code).toBe(0)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(30 * 1024)
    }
    for (const { at } of sends)
      expect(sends.filter((other) => other.at >= at && other.at < at + 1_000).length).toBeLessThanOrEqual(5)
  })

  it('wecom 10: arrives whole and in order, in bubbles within 20,480 bytes', async () => {
    endpoint = await startEndpoint('openai', () => ({ text: pieces(ESSAY) }))
    const wecom = await openWecomHouse({ yaml: endpoint.yaml })
    house = wecom
    await house.say('写一篇十万字节的文章')
    const texts = await whole()
    for (const text of texts) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_480)
      expect(fences(text) % 2).toBe(0)
      expect(text).not.toContain('\ufffd')
    }
    const refused = wecom.control.journal().filter(({ errcode }) => errcode !== undefined && errcode !== 0)
    expect(refused).toEqual([])
  })
})

/** The bot's messages once every paragraph stands in the chat, each paragraph exactly once and in order. */
async function whole(): Promise<string[]> {
  const numbers = (): number[] => house.shown().flatMap((message) => numbersIn(message.text))
  await house.until(
    () => numbers().length >= PARAGRAPHS.length && house.shown().every((message) => message.finished),
    'the whole answer',
    120_000,
  )
  expect(numbers()).toEqual(PARAGRAPHS.map((_, index) => index))
  return house.shown().map((message) => message.text)
}

describe('a run of twenty minutes', () => {
  it('wecom 9: goes on in further bubbles before the time limit, and its whole result is in the chat', async () => {
    const clock = createManualClock(Date.UTC(2026, 10, 30, 2))
    const minutes = 20
    const source = minuteByMinute(minutes)
    endpoint = await startEndpoint('openai', () => ({ text: source.text }))
    const wecom = await openWecomHouse({ yaml: endpoint.yaml }, clock)
    house = wecom
    await house.say('慢慢想二十分钟')
    await pass(clock, () => endpoint.turns.length > 0)
    for (let minute = 1; minute <= minutes; minute++) {
      source.next(`第${minute}分钟的结果。\n\n`)
      const end = clock.monotonic() + 60_000
      await pass(clock, () => clock.monotonic() >= end)
    }
    source.end('全部完成。')
    await pass(clock, () => house.finals().some((message) => message.text.includes('全部完成')))
    const text = house
      .shown()
      .map((message) => message.text)
      .join('\n')
    const results = [...text.matchAll(/第(\d+)分钟的结果/g)].map((match) => Number(match[1]))
    expect([...new Set(results)]).toEqual(Array.from({ length: minutes }, (_, index) => index + 1))
    expect(house.shown().every((message) => message.finished)).toBe(true)
    const expired = wecom.control.journal().filter(({ errcode }) => errcode === 846608)
    expect(expired).toEqual([])
  })
})

/** Moves the clock in small steps, leaving room for the sockets between them, until `done`. */
async function pass(clock: ManualClock, done: () => boolean): Promise<void> {
  for (let step = 0; step < 5_000; step++) {
    if (done()) return
    await clock.advance(500)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error('the clock ran for 40 minutes and it did not happen')
}

/** A text that a test hands out piece by piece. */
function minuteByMinute(capacity: number): {
  text: AsyncIterable<string>
  next(piece: string): void
  end(piece: string): void
} {
  const slots = Array.from({ length: capacity + 1 }, () => Promise.withResolvers<string>())
  let given = 0
  const next = (piece: string): void => slots[given++]?.resolve(piece)
  return { text: text(), next, end: next }
  async function* text(): AsyncIterable<string> {
    for (const { promise } of slots) yield await promise
  }
}
