/**
 * Calls of the long connection that put something into a chat: by req_id while it lives, by push
 * otherwise, all in the chat's own quota.
 */
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { isAppError } from '../../src/protocol/errors.ts'
import type { SentMessage } from '../../src/protocol/outbound.ts'
import type { WecomConfig } from './config.ts'
import { CHAT_LIMITS, paced } from './pacing.ts'
import { decodeReply, REPLY_WINDOW_MS } from './reply.ts'
import { sendParts } from './route.ts'
import { splitMarkdown } from './split.ts'
import type { Command, WecomTransport } from './transport.ts'

/** Largest `content` of a stream or markdown message (doc 101463), UTF-8 bytes. */
export const CONTENT_BYTES = 20_480

export interface SocketRouteDeps extends AdapterDeps {
  readonly config: WecomConfig
  readonly transport: WecomTransport
  /** The user id as WeCom writes it, for a lower-cased one of a rule. */
  readonly userId: (id: string) => string
}

type Body = Readonly<Record<string, unknown>> & { readonly msgtype: string }

export interface SocketCalls {
  call(to: Address, cmd: Command, body: unknown, options: SendOptions, reqId?: string): Promise<unknown>
  /** The req_id of the message being answered, while WeCom still takes it. */
  liveReqId(to: Address, replyTo: string | undefined): string | undefined
  push(to: Address, body: Body, options: SendOptions): Promise<void>
  /** Answers by req_id; a refused req_id means nothing was sent, so a push is safe. */
  answer(to: Address, body: Body, replyTo: string | undefined, options: SendOptions): Promise<void>
  markdown(to: Address, text: string, replyTo: string | undefined, options: SendOptions): Promise<SentMessage>
}

/** @param finishChat ends the running answers of a chat, which WeCom refuses to push beside (6000) */
export function createSocketCalls(
  deps: SocketRouteDeps,
  finishChat: (chatId: string) => Promise<void>,
): SocketCalls {
  const { clock, config, scheduler, transport } = deps

  const call: SocketCalls['call'] = (to, cmd, body, options, reqId) =>
    paced(
      scheduler,
      { bucket: `wecom:${config.id}:chat:${to.chatId}`, limits: CHAT_LIMITS, lane: to.chatId },
      options,
      () => transport.request(cmd, body, reqId === undefined ? {} : { reqId }),
    )

  const liveReqId: SocketCalls['liveReqId'] = (to, replyTo) => {
    const reply = decodeReply(replyTo, to.chatId)
    return reply?.via === 'socket' && clock.now() - reply.at < REPLY_WINDOW_MS ? reply.reqId : undefined
  }

  const push: SocketCalls['push'] = async (to, body, options) => {
    const group = to.chatType === 'group'
    const place = { chatid: group ? to.chatId : deps.userId(to.chatId), chat_type: group ? 2 : 1 }
    try {
      await call(to, 'aibot_send_msg', { ...place, ...body }, options)
    } catch (error) {
      // 6000: WeCom refuses to push while an answer of ours is still running in the chat.
      if (!isAppError(error, 'wecom.stream_open')) throw error
      await finishChat(to.chatId)
      await call(to, 'aibot_send_msg', { ...place, ...body }, options)
    }
  }

  const answer: SocketCalls['answer'] = async (to, body, replyTo, options) => {
    const reqId = liveReqId(to, replyTo)
    if (reqId === undefined) return push(to, body, options)
    try {
      await call(to, 'aibot_respond_msg', body, options, reqId)
    } catch (error) {
      if (!isAppError(error, 'wecom.reply_expired')) throw error
      await push(to, body, options)
    }
  }

  const markdown: SocketCalls['markdown'] = async (to, text, replyTo, options) =>
    sendParts(splitMarkdown(text, CONTENT_BYTES), options, async (content) => {
      await answer(to, { msgtype: 'markdown', markdown: { content } }, replyTo, options)
      return message(options)
    })

  return { call, liveReqId, push, answer, markdown }
}

/** A message that went out and cannot be changed. */
export function message(options: SendOptions): SentMessage {
  return { messageId: options.key, handle: { kind: 'message' } }
}
