/** WeCom's error codes as errors of the house: one table, and the one place that reads it. */
import { AppError } from '../../src/protocol/errors.ts'

/** Where to set things right; shown by the doctor and in hints. */
export const ADMIN_PAGE = 'https://work.weixin.qq.com/wework_admin/frame'
const APPS_PAGE = `${ADMIN_PAGE}#apps`

interface Meaning {
  readonly code: string
  readonly hint: string
  /** How long to wait before the same call may work; absent: never by itself. */
  readonly retryAfterMs?: number
  readonly page?: string
}

const BUSY: Meaning = { code: 'wecom.busy', hint: 'WeCom is busy; it is tried again.', retryAfterMs: 2_000 }
const RATE: Meaning = {
  code: 'wecom.rate_limited',
  hint: 'WeCom limits the rate; it is tried again.',
  retryAfterMs: 60_000,
}
const TOKEN: Meaning = {
  code: 'wecom.token_rejected',
  hint: 'WeCom refused a fresh access token twice.',
  retryAfterMs: 5_000,
}
const BAD_REQUEST: Meaning = {
  code: 'wecom.bad_request',
  hint: 'This is a fault of this program; report it with the code.',
}
const CARD: Meaning = { code: 'wecom.card_refused', hint: 'Use the text form of the approval instead.' }
const MEMBER: Meaning = {
  code: 'wecom.unknown_member',
  hint: 'Check the user id and the visible range of the app.',
  page: APPS_PAGE,
}
const RANGE: Meaning = {
  code: 'wecom.out_of_range',
  hint: 'Add the person or department to the visible range of the app.',
  page: APPS_PAGE,
}
const CHAT: Meaning = {
  code: 'wecom.chat_gone',
  hint: 'The chat id is wrong, or the bot is no longer in that chat.',
}
const ROBOT: Meaning = {
  code: 'wecom.robot_gone',
  hint: 'The group robot was removed or disabled; add one and put its key into groupRobots.',
}
const AGENT: Meaning = {
  code: 'wecom.bad_agent',
  hint: 'agentId does not belong to the secret; copy both from the same app.',
  page: APPS_PAGE,
}
const FILE: Meaning = {
  code: 'wecom.bad_file',
  hint: 'WeCom takes files of more than 5 bytes and at most 20 MB.',
}

/** Every code of the adapter's contract with WeCom (docs 90313, 96213 and field reports). */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  [-1]: BUSY,
  6000: {
    code: 'wecom.stream_open',
    hint: 'The running answer is finished first, then this is sent.',
    retryAfterMs: 1_000,
  },
  40001: {
    code: 'wecom.bad_secret',
    hint: 'The app secret is wrong: copy it again from the app page, then restart.',
    page: APPS_PAGE,
  },
  40003: MEMBER,
  40004: FILE,
  40005: FILE,
  40006: FILE,
  40007: { code: 'wecom.media_gone', hint: 'The uploaded file has expired; it is uploaded again.' },
  40008: BAD_REQUEST,
  40013: {
    code: 'wecom.bad_corp_id',
    hint: 'corpId is wrong: copy it from "My company", at the bottom.',
    page: `${ADMIN_PAGE}#profile`,
  },
  40014: TOKEN,
  40056: AGENT,
  40058: BAD_REQUEST,
  41001: BAD_REQUEST,
  41016: CARD,
  42001: TOKEN,
  42014: CARD,
  42045: CARD,
  42049: CARD,
  43004: { code: 'wecom.not_followed', hint: 'The person must open the app once first.' },
  43012: {
    code: 'wecom.callback_missing',
    hint: 'Interactive cards need the callback URL of the app: "Receive messages" → "API receive".',
    page: APPS_PAGE,
  },
  44001: FILE,
  44004: { code: 'wecom.empty_text', hint: 'There was nothing to send.' },
  45001: FILE,
  45002: { code: 'wecom.too_long', hint: 'The message is too long for this route.' },
  45009: RATE,
  45033: BUSY,
  48002: {
    code: 'wecom.api_not_permitted',
    hint: 'The app may not call this API; grant it on the app page.',
    page: APPS_PAGE,
  },
  50002: RANGE,
  50003: {
    code: 'wecom.app_disabled',
    hint: 'The app is disabled; enable it on the app page.',
    page: APPS_PAGE,
  },
  60003: RANGE,
  60011: RANGE,
  60020: {
    code: 'wecom.ip_not_trusted',
    hint: 'Add this address to the trusted IPs of the app; it takes effect after a minute.',
    page: APPS_PAGE,
  },
  60111: MEMBER,
  81013: {
    code: 'wecom.no_receiver',
    hint: 'None of the receivers is in the visible range of the app.',
    page: APPS_PAGE,
  },
  82001: { code: 'wecom.no_receiver', hint: 'No receiver was given.' },
  86001: CHAT,
  86003: CHAT,
  86008: CHAT,
  93000: ROBOT,
  93004: ROBOT,
  93006: CHAT,
  93008: CHAT,
  95001: { code: 'wecom.service_quota', hint: 'Customer-service quotas do not apply to internal bots.' },
  95002: { code: 'wecom.service_quota', hint: 'Customer-service quotas do not apply to internal bots.' },
  95003: { code: 'wecom.service_quota', hint: 'Customer-service quotas do not apply to internal bots.' },
  301002: AGENT,
  301025: {
    code: 'wecom.approval_bad_parameter',
    hint: 'WeCom does not know this approval number or filter.',
  },
  301026: { code: 'wecom.approval_template', hint: 'The approval template cannot be read by this app.' },
  301055: {
    code: 'wecom.approval_not_permitted',
    hint: 'Admin console → Apps → Approval → API → apps that may call: add this app.',
    page: APPS_PAGE,
  },
  301056: {
    code: 'wecom.approval_disabled',
    hint: 'Enable the Approval app of the company.',
    page: APPS_PAGE,
  },
  301057: BUSY,
  846605: {
    code: 'wecom.reply_expired',
    hint: 'The message can no longer be answered directly; a new message is sent.',
  },
  846607: RATE,
  846608: { code: 'wecom.stream_expired', hint: 'The running answer goes on in a new message.' },
  846609: { code: 'wecom.not_connected', hint: 'The connection is made again.', retryAfterMs: 2_000 },
  853006: { code: 'wecom.api_not_permitted', hint: 'This capability is not open to the company.' },
}

/**
 * The error of a non-zero `errcode`. The message carries the code and WeCom's own words (with its
 * `hint: [digits]` for their support); nothing is parsed from it but the address of 60020.
 * @param call the API or command, for the log
 */
export function wecomError(errcode: number, errmsg: string, call: string): AppError {
  const meaning = MEANINGS[errcode] ?? {
    code: 'wecom.refused',
    hint: `Look the code up at https://open.work.weixin.qq.com/devtool/query?e=${errcode}`,
  }
  const ip =
    errcode === 60020 ? /from ip: ([0-9a-fA-F.:]+)/.exec(errmsg)?.[1]?.replace(/[.,]$/, '') : undefined
  const where = ip === undefined ? '' : ` (our address: ${ip})`
  return new AppError(meaning.code, `${call}: errcode ${errcode}: ${errmsg}${where}`, {
    hint: meaning.page ? `${meaning.hint} ${meaning.page}` : meaning.hint,
    retryable: meaning.retryAfterMs !== undefined,
    ...(meaning.retryAfterMs !== undefined && { retryAfterMs: meaning.retryAfterMs }),
    params: { errcode, ...(ip !== undefined && { ip }) },
  })
}

/** The errcode of an error made here; undefined for any other error. */
export function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof AppError)) return undefined
  const code = error.params.errcode
  return typeof code === 'number' ? code : undefined
}

/** The call left this process and its answer did not come back: it may or may not have happened. */
export function outcomeUnknown(call: string, cause?: unknown): AppError {
  return new AppError('wecom.outcome_unknown', `${call}: no answer arrived; WeCom may have done it`, {
    hint: 'Look into the chat before sending it again.',
    cause,
  })
}

/** Nothing left this process: trying again is safe. */
export function notConnected(detail: string): AppError {
  return new AppError('wecom.not_connected', detail, {
    hint: 'The long connection is down; it is tried again by itself.',
    retryable: true,
    retryAfterMs: 2_000,
  })
}
