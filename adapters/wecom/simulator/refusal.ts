/** What the platform refuses, as an AppError that carries the errcode to the edge. */
import type { z } from 'zod'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'

const TEXTS: Record<number, string> = {
  [-1]: 'system busy',
  40001: 'invalid credential',
  40003: 'invalid userid',
  40004: 'invalid media type',
  40005: 'invalid file type',
  40006: 'invalid file size',
  40007: 'invalid media_id',
  40008: 'invalid message type',
  40013: 'invalid corpid',
  40014: 'invalid access_token',
  40056: 'invalid agentid',
  40058: 'invalid Request Parameter',
  41001: 'access_token missing',
  41005: 'missing media data',
  41016: 'missing title',
  42001: 'access_token expired',
  42014: 'invalid task_id',
  42045: 'card_action missing or illegal',
  42049: 'submit_button missing or illegal',
  43012: 'callback url not set',
  44001: 'empty media data',
  44004: 'text content is empty',
  45001: 'media size out of limit',
  45002: 'content size out of limit',
  45009: 'api freq out of limit',
  48002: 'api forbidden',
  50003: 'app is disabled',
  60003: 'department not found',
  60011: 'no privilege to access/modify contact/party/agent',
  60020: 'not allow to access from your ip',
  60111: 'userid not found',
  81013: 'user & party & tag all invalid',
  82001: 'all touser & toparty & totag empty',
  93000: 'invalid webhook url',
  93004: 'robot disabled',
  93006: 'invalid chatid',
  93008: 'robot not in group',
  301002: 'no permission of this agent',
  301025: 'get approval param error',
  301026: 'get approval template data error',
  301055: 'no approval auth',
  846605: 'invalid req_id',
  846607: 'aibot send msg frequency limit exceeded',
  846608: 'stream message update expired',
  846609: 'aibot websocket not subscribed',
}

/** An error that the caller of the simulated platform gets as `errcode`. */
export function refuse(errcode: number, detail?: string): AppError {
  const text = TEXTS[errcode] ?? 'request refused'
  return new AppError('simulator.errcode', detail === undefined ? text : `${text}: ${detail}`, {
    params: { errcode },
  })
}

/** An error for what the client would not let a person do. */
export function disallow(message: string): AppError {
  return new AppError('simulator.refused', message, { hint: 'The WeCom client would not offer this.' })
}

export interface Verdict {
  errcode: number
  errmsg: string
}

/** The platform's form of an error text: message, hint number, caller's address, link. */
export function verdictOf(error: unknown, ip: string, hint: string): Verdict {
  if (!isAppError(error, 'simulator.errcode')) throw error
  const errcode = Number(error.params.errcode)
  const link = `https://open.work.weixin.qq.com/devtool/query?e=${errcode}`
  return { errcode, errmsg: `${error.message}, hint: [${hint}], from ip: ${ip}, more info at ${link}` }
}

/** Parses with the schema or refuses with 40058, naming the first field that is wrong. */
export function accept<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw refuse(40058, issue ? `${issue.path.join('.')} ${issue.message}` : 'malformed')
}

/** Length in UTF-8 bytes, which is how every limit of the platform counts. */
export const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8')
