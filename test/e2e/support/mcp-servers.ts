/** Waiting for MCP servers as people do: by asking the bot. */
import { expect } from 'vitest'
import type { FeishuHouse } from './feishu-house.ts'

/** What `/mcp` answers an administrator once the server is connected. A slow machine takes its time. */
export async function untilConnected(house: FeishuHouse, server: string): Promise<string> {
  const seen = new Set(house.answers().map(({ messageId }) => messageId))
  const connected = (text: string): boolean => text.includes(`**${server}** 已连接`)
  const listed = () => house.answers().find(({ messageId, text }) => !seen.has(messageId) && connected(text))
  const ask = async (): Promise<boolean> => {
    if (listed()) return true
    house.ask('/mcp', { from: house.people.admin })
    return false
  }
  await expect.poll(ask, { timeout: 60_000, interval: 1_000 }).toBe(true)
  return listed()?.text ?? ''
}
