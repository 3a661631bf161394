/** Which bots did not start, in a sentence each: kept until the service has said that it runs, said at once from then on. */
import { isAppError } from '../protocol/errors.ts'
import type { Locale, Translate } from '../protocol/ports.ts'
import { errorWords } from './error-words.ts'

export interface BotNews {
  readonly onBotFailed: (bot: string, error: unknown) => void
  /** The service has said that it runs. */
  announced(): void
}

export interface BotNewsDeps {
  readonly locale: Locale
  readonly text: Translate
  /** Takes secrets out: a platform may repeat what it was sent. */
  readonly redact: (line: string) => string
  readonly write: (line: string) => void
}

/** Each bot is one line: its id, what is wrong, and what to do. */
export function createBotNews({ locale, text, redact, write }: BotNewsDeps): BotNews {
  const kept: string[] = []
  let say = (line: string): void => void kept.push(line)
  return {
    onBotFailed: (bot, error) => {
      const { message, hint } = isAppError(error)
        ? errorWords(error, locale, text)
        : { message: error instanceof Error ? error.message : String(error), hint: '' }
      const words = `${text('cli.bot_failed', { bot, message })}${hint && ` → ${hint}`}`
      say(`${redact(words.replaceAll(/\s*\n\s*/g, ' '))}\n`)
    },
    announced: () => {
      for (const line of kept.splice(0)) write(line)
      say = write
    },
  }
}
