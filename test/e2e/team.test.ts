import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

let house: FeishuHouse
afterEach(() => house?.stop())

describe('a team on Feishu', () => {
  it('two members look at the workspace with their own tools and answer one question', async () => {
    house = await openFeishuHouse()
    house.ask('小组讨论：工作目录里有多少文件')
    const answer = await house.until(
      () =>
        house.answers().find((message) => message.text.includes('小组的回答') && /已完成/.test(message.text)),
      'the answer of the team',
      30_000,
    )
    expect(answer.text).toContain('### 调查员')
    expect(answer.text).toContain('### 审校员')
    expect(answer.text.match(/工作目录里有 0 个文件/g)).toHaveLength(2)
    expect(answer.text).not.toContain('允许')
  }, 60_000)
})
