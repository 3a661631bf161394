/**
 * The `response_url` of a message to a URL-callback bot: one answer, within an hour, and nothing before
 * or after it. Which of the two ways an answer takes is decided by the route.
 */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { SentMessage } from '../../src/protocol/outbound.ts'
import type { Clock } from '../../src/protocol/ports.ts'
import type { HostRule } from './host.ts'
import { callApi } from './http.ts'
import { RESPONSE_URL_MS, type Reply } from './reply.ts'
import { CONTENT_BYTES } from './socket-calls.ts'
import { windowClosed } from './socket-route.ts'

export type PollReply = Reply & { via: 'poll' }

export interface ResponseUrls {
  /** Throws `wecom.reply_window_closed` when the URL is missing, used, or older than an hour. */
  post(reply: PollReply, body: Readonly<Record<string, unknown>>, options: SendOptions): Promise<SentMessage>
  /** The same with markdown; throws `wecom.too_long` above {@link CONTENT_BYTES}. */
  markdown(reply: PollReply, content: string, options: SendOptions): Promise<SentMessage>
}

/** Remembers the used URLs of this process as long as they could be tried again. */
export function createResponseUrls(deps: { clock: Clock; hosts: HostRule }): ResponseUrls {
  const { clock } = deps
  /** Bounded by their own age: a `response_url` works once. */
  const spent = new Set<string>()

  const post: ResponseUrls['post'] = async (reply, body, options) => {
    const { url } = reply
    if (url === undefined || spent.has(url) || clock.now() - reply.at > RESPONSE_URL_MS) {
      throw windowClosed('the message can no longer be answered')
    }
    const { href } = deps.hosts.check(url)
    spent.add(url)
    clock.after(RESPONSE_URL_MS, () => spent.delete(url))
    await callApi({ name: 'response_url', url: href, json: body, repeatable: false, signal: options.signal })
    return { messageId: options.key, handle: { kind: 'message' } }
  }

  return {
    post,
    markdown: (reply, content, options) => {
      if (Buffer.byteLength(content) > CONTENT_BYTES) {
        throw new AppError('wecom.too_long', `${Buffer.byteLength(content)} bytes in one answer`, {
          hint: 'A URL-callback bot has one answer of 20,480 bytes; use the long connection.',
        })
      }
      return post(reply, { msgtype: 'markdown', markdown: { content } }, options)
    },
  }
}
