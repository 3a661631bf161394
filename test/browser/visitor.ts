/** What a person does in the playground of a running service: opens a chat, speaks as somebody, says something. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { build } from 'vite'

export interface Visitor {
  /** The messages of the open chat. */
  log(): Locator
  openChat(title: string): Promise<void>
  /** From now on this person writes and clicks. */
  speakAs(name: string): Promise<void>
  /** Says it to the bot, with a mention. */
  say(words: string): Promise<void>
}

/** `page` is asked anew each time: tests open a page of their own. */
export function createVisitor(page: () => Page): Visitor {
  return {
    log: () => page().getByRole('log'),
    openChat: async (title) => {
      await page().getByRole('navigation', { name: '会话' }).getByRole('button', { name: title }).click()
      await page().getByRole('heading', { level: 1, name: title }).waitFor()
    },
    speakAs: async (name) => {
      await page().getByRole('button', { name: /^我是/ }).click()
      await page().getByRole('option', { name }).click()
    },
    say: async (words) => {
      await page().getByRole('textbox', { name: '消息' }).fill(`@驿站 ${words}`)
      await page().getByRole('button', { name: '发送', exact: true }).click()
    },
  }
}

/** A service serves its page from `src/console/dist`; a checkout that was never built has none. */
export async function buildServedPages(): Promise<void> {
  const pages = fileURLToPath(new URL('../../src/console/dist/index.html', import.meta.url))
  const configFile = fileURLToPath(new URL('../../src/console/vite.config.ts', import.meta.url))
  if (!existsSync(pages)) await build({ configFile, logLevel: 'warn' })
}
