/** Values that several sections share. */
import { z } from 'zod'

/** A text such as `30m`, as milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'a duration such as 30s, 30m, 12h or 7d')
  .transform((text) => parseDuration(text))

/** Id of a bot, a schedule or a caller: safe in a path, a key and a log line. */
export const shortId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, at most 32')

/** A person: `<platform>:<id>`. */
export const userKey = z
  .string()
  .regex(/^(feishu|wecom):[^\s:]+$/, 'a user as platform:id, e.g. feishu:ou_0123 or wecom:zhangsan')

/** What stands in the file while its variable is not set; only commands that do not need it meet it. */
export const unsetText = z.string().regex(/^\$\{\w+\}$/)

export const url = z.union([z.url('a URL such as https://bot.example.com'), unsetText])

/** A moment with its offset, as milliseconds. */
export const moment = z.iso
  .datetime({ offset: true, error: 'a moment with its offset, e.g. "2026-12-31T18:00:00+08:00"' })
  .transform((text) => Date.parse(text))

export const tokensOrUnlimited = z.union(
  [z.literal('unlimited'), z.int().min(1)],
  'a number of tokens, or unlimited',
)

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

function parseDuration(text: string): number {
  const [, amount = '0', unit = 'ms'] = /^(\d+)(\D+)$/.exec(text) ?? []
  return Number(amount) * (UNIT_MS[unit] ?? 1)
}
