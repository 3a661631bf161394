import { afterEach, expect, it, vi } from 'vitest'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 120_000 })

const FLOOD = 100
const QUIET = 8

let house: FeishuHouse
let endpoint: Endpoint
afterEach(async () => {
  await house.stop()
  await endpoint.stop()
})

/** One request at the model takes as long as any other, so that waiting is counted in requests, not in time. */
async function* steady(text: string): AsyncIterable<string> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  yield text
}

it('T6: beside a chat that floods, another is served as if it were alone: at most two requests of the flood come before', async () => {
  const order: string[] = []
  endpoint = await startEndpoint('openai', ({ said }) => {
    const words = said.at(-1) ?? ''
    order.push(words.includes('乙') ? `乙${/\d+/.exec(words)?.[0]}` : '甲')
    return { text: steady(`答：${words.slice(-20)}`) }
  })
  house = await openFeishuHouse({ yaml: `${endpoint.yaml}\nlimits: { concurrency: 2 }` })
  const { member, other } = house.people
  const quiet = house.addGroup('乙组', [other])
  // A new message is said behind each answer, so that the flood never ends while the other chat asks.
  const flood = Promise.all(
    Array.from({ length: FLOOD }, (_, index) => house.say(`甲${index}`, { from: member })),
  )
  for (let index = 0; index < QUIET; index++) {
    const before = order.length
    await house.say(`乙${index}`, { chatId: quiet, from: other })
    await house.say('甲又来', { from: member })
    await house.until(() => house.finals(quiet).length === index + 1, `answer ${index}`)
    const mine = order.indexOf(`乙${index}`)
    expect(order.slice(before, mine).filter((chat) => chat === '甲').length).toBeLessThanOrEqual(2)
  }
  await flood
  await house.until(() => house.finals().length > 0, 'the flood’s answer')
  expect(order.filter((chat) => chat === '甲').length).toBeGreaterThan(QUIET / 2)
})
