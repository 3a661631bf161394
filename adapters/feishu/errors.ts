/**
 * Feishu's numeric codes → `AppError`. This file knows which code means what, whether the same call
 * may succeed later, and where an administrator clicks. It never sees a request, so no secret and no
 * message text can leak through an error.
 */
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import { type ConsolePage, consoleLink, type FeishuConfig } from './config.ts'

interface Meaning {
  readonly code: string
  readonly hint: string
  readonly retryable?: boolean
  readonly page?: ConsolePage
}

const gone: Meaning = { code: 'feishu.target_gone', hint: 'The message was recalled or deleted.' }
const rate: Meaning = {
  code: 'feishu.rate_limited',
  hint: 'Feishu asks for fewer calls; it is tried again by itself.',
  retryable: true,
}
const disabled: Meaning = {
  code: 'feishu.bot_disabled',
  hint: 'Switch on the bot ability and publish a version.',
  page: 'bot',
}
const secret: Meaning = {
  code: 'feishu.bad_secret',
  hint: 'Copy App ID and App Secret again from the credentials page, and check `domain` (feishu or lark).',
  page: 'baseinfo',
}
const forbidden: Meaning = {
  code: 'feishu.forbidden_by_chat',
  hint: "The group's or the person's settings forbid this message; ask the group owner.",
}
const audit: Meaning = {
  code: 'feishu.content_refused',
  hint: "The company's content rules refused the text; rephrase it.",
}
const tooLong: Meaning = { code: 'feishu.too_long', hint: 'Send it in parts or as a file.' }
const token: Meaning = {
  code: 'feishu.token_invalid',
  hint: 'The access token was refused twice; check that the App Secret was not reset.',
  page: 'baseinfo',
}
const permission: Meaning = {
  code: 'feishu.permission_denied',
  hint: 'Grant the permission that the message names, then publish a version.',
  page: 'auth',
}
const cardLost: Meaning = { code: 'feishu.card_lost', hint: 'The streaming card can no longer be changed.' }
const cardRefused: Meaning = {
  code: 'feishu.card_refused',
  hint: 'Feishu refused the card; it is sent as text instead.',
}
const badFile: Meaning = {
  code: 'feishu.file_refused',
  hint: 'Feishu refused the file; check its format and size.',
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  10003: secret,
  10014: secret,
  11232: rate,
  99991400: rate,
  230020: rate,
  230049: rate,
  200810: { ...rate, hint: 'Somebody is using the card right now; it is tried again by itself.' },
  99991661: token,
  99991663: token,
  99991671: token,
  99991662: disabled,
  99991673: disabled,
  11205: disabled,
  230006: disabled,
  234007: disabled,
  99991672: {
    code: 'feishu.scope_missing',
    hint: 'Grant the scopes named in the message, then create and publish a version.',
    page: 'auth',
  },
  99991401: {
    code: 'feishu.ip_refused',
    hint: "Add this machine's address to the IP allow-list.",
    page: 'safe',
  },
  99991403: { code: 'feishu.quota_used_up', hint: "The tenant's monthly API quota is used up; buy more." },
  230002: { code: 'feishu.bot_not_in_chat', hint: 'Add the bot to the group (group settings → bots).' },
  230013: {
    code: 'feishu.user_unavailable',
    hint: "Widen the app's availability range to this person and publish a version.",
    page: 'version',
  },
  230029: { code: 'feishu.user_unavailable', hint: 'The person has left the company.' },
  230011: gone,
  230110: gone,
  230111: gone,
  231003: gone,
  230017: { code: 'feishu.resource_not_owned', hint: 'The file belongs to another app or a person.' },
  230018: forbidden,
  230035: forbidden,
  230038: forbidden,
  230050: forbidden,
  230053: forbidden,
  230019: { code: 'feishu.topic_gone', hint: 'The topic does not exist any more.' },
  230071: { code: 'feishu.topic_unsupported', hint: 'This group has no topics.' },
  230022: audit,
  230028: audit,
  230025: tooLong,
  200860: tooLong,
  230027: permission,
  232011: permission,
  41050: permission,
  230031: { code: 'feishu.card_too_old', hint: 'Cards can be changed for 14 days only; a new one is sent.' },
  230055: badFile,
  234006: badFile,
  234010: badFile,
  234011: badFile,
  234039: badFile,
  234037: { code: 'feishu.file_too_large', hint: 'Files above 100 MB cannot be fetched from a chat.' },
  234038: { code: 'feishu.download_forbidden', hint: 'The group forbids downloading (restricted mode).' },
  234003: { code: 'feishu.file_unavailable', hint: 'The file is not part of that message.' },
  234004: { code: 'feishu.bot_not_in_chat', hint: 'Add the bot to the group (group settings → bots).' },
  234043: {
    code: 'feishu.file_unavailable',
    hint: 'Feishu does not hand out files inside forwarded messages, cards and stickers; send the file itself.',
  },
  230099: cardRefused,
  200220: cardRefused,
  300305: cardRefused,
  232009: { code: 'feishu.chat_gone', hint: 'The group was dissolved.' },
  200740: cardLost,
  200750: cardLost,
  300311: cardLost,
  300120: cardLost,
  300121: cardLost,
  300122: cardLost,
}

/**
 * Turns a refusal into an error. `params.platformCode` keeps the number for the few callers that
 * branch on it; HTTP 5xx without a known code is retryable.
 */
export function platformError(
  config: Pick<FeishuConfig, 'appId' | 'domain'>,
  answer: { code: number; message: string; status: number; logId?: string; retryAfterMs?: number },
): AppError {
  const unknown: Meaning =
    answer.status >= 500
      ? {
          code: 'feishu.unreachable',
          hint: 'Feishu is having trouble; it is tried again by itself.',
          retryable: true,
        }
      : { code: 'feishu.refused', hint: 'See the message; the log id helps Feishu support.' }
  const meaning = answer.status === 429 ? rate : (MEANINGS[answer.code] ?? unknown)
  const link = meaning.page ? ` ${consoleLink(config, meaning.page)}` : ''
  const log = answer.logId ? ` (log id ${answer.logId})` : ''
  return new AppError(meaning.code, `Feishu ${answer.code}: ${answer.message.slice(0, 500)}${log}`, {
    hint: meaning.hint + link,
    retryable: meaning.retryable ?? false,
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
    params: { platformCode: answer.code, message: answer.message.slice(0, 200) },
  })
}

/** Feishu's own number of an error made by {@link platformError}; undefined for any other error. */
export function platformCode(error: unknown): number | undefined {
  const code = isAppError(error) ? error.params.platformCode : undefined
  return typeof code === 'number' ? code : undefined
}
