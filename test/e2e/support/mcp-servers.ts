/** Waiting for MCP servers as people do: by asking the bot. */
import { expect } from 'vitest'
import type { Company, Shown } from './company.ts'

/** What `/mcp` answers an administrator once the server is connected. A slow machine takes its time. */
export async function untilConnected(company: Company, server: string): Promise<string> {
  const seen = new Set(company.shown().map(({ id }) => id))
  const listed = (): Shown | undefined =>
    company.shown().find(({ id, text }) => !seen.has(id) && text.includes(`**${server}** 已连接`))
  const ask = async (): Promise<boolean> => {
    if (listed()) return true
    await company.say('/mcp', { from: company.people.admin })
    return false
  }
  await expect.poll(ask, { timeout: 60_000, interval: 1_000 }).toBe(true)
  return listed()?.text ?? ''
}
