import { afterEach, expect, it, vi } from 'vitest'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: FeishuHouse
let endpoint: Endpoint
afterEach(async () => {
  await house.stop()
  await endpoint.stop()
})

it('R19: a chat that has used its tokens of the day is told so; other chats go on, a restart changes nothing', async () => {
  // The endpoint counts 120 tokens for every request.
  endpoint = await startEndpoint('openai', () => ({ text: ['好。'] }))
  house = await openFeishuHouse({ yaml: `${endpoint.yaml}\nlimits: { tokensPerChatDay: 200 }` })
  const other = house.addGroup('乙组', [house.people.member])
  const answerTo = async (text: string, count: number, chatId = house.chatId): Promise<string> => {
    await house.say(text, { chatId })
    await house.until(() => house.finals(chatId).length === count, `${count} answers`)
    return house.finals(chatId).at(-1)?.text ?? ''
  }
  expect(await answerTo('一', 1)).toContain('好。')
  expect(await answerTo('二', 2)).toContain('好。')
  expect(await answerTo('三', 3)).toContain('这个会话今天已经用满 200 个 token 的上限')
  expect(endpoint.turns).toHaveLength(2)

  await house.restart()
  expect(await answerTo('四', 4)).toContain('limits.tokensPerChatDay')
  expect(await answerTo('一', 1, other)).toContain('好。')
  expect(endpoint.turns).toHaveLength(3)
})
