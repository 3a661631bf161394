import type { Address } from '../../../src/protocol/address.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { Api } from '../api/client.ts'
import { type CallOptions, createMessage, listTopic, replyMessage, type WireMessage } from '../api/message.ts'

/**
 * Puts a message where it belongs: as a reply to `replyTo`, else into the chat. When the message to
 * answer is gone, the chat gets it without a quote; inside a topic another message of the same topic
 * is answered, because a new message there would open a new topic.
 */
export async function deliver(
  api: Api,
  to: Address,
  message: WireMessage,
  replyTo: string | undefined,
  options: CallOptions,
): Promise<string> {
  const inTopic = to.threadId !== undefined
  if (replyTo) {
    try {
      return await replyMessage(api, { chatId: to.chatId, messageId: replyTo, inTopic }, message, options)
    } catch (error) {
      if (!isTargetGone(error)) throw error
    }
  }
  if (to.threadId === undefined) return createMessage(api, to.chatId, message, options)
  const anchor = await findAnchor(api, to.threadId, replyTo, options.signal)
  return replyMessage(api, { chatId: to.chatId, messageId: anchor, inTopic }, message, options)
}

function isTargetGone(error: unknown): boolean {
  return ['feishu.target_gone', 'feishu.topic_gone', 'feishu.topic_unsupported'].some((code) =>
    isAppError(error, code),
  )
}

/** Newest message of the topic that can be answered. */
async function findAnchor(
  api: Api,
  threadId: string,
  gone: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  const messages = await listTopic(api, threadId, signal)
  const anchor = messages.find((message) => !message.deleted && message.message_id !== gone)
  if (anchor) return anchor.message_id
  throw new AppError('feishu.topic_gone', 'no message of the topic is left to answer', {
    hint: 'The topic was deleted; write to the bot again in a new one.',
  })
}
