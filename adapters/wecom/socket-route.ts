/**
 * The AI bot's long connection as a way out: answers by the callback's req_id while it lives, pushes by
 * `aibot_send_msg` otherwise. An acknowledgement that got lost is never answered by sending again.
 */
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { paintCard, refused } from './card.ts'
import type { WecomConfig } from './config.ts'
import { errcodeOf } from './errors.ts'
import { loadFile } from './file.ts'
import { literalMarkdown, neutralMarkdown } from './markdown.ts'
import { CHAT_LIMITS, FRAME_LIMITS, paced } from './pacing.ts'
import { decodeReply, EVENT_WINDOW_MS, REPLY_WINDOW_MS } from './reply.ts'
import { asLive, deferLive, frozen, type Route, sendParts } from './route.ts'
import { splitMarkdown } from './split.ts'
import { createLiveStreams, type LiveStreams, type StreamDeps } from './stream.ts'
import type { Command, WecomTransport } from './transport.ts'
import { uploadMedia } from './upload.ts'

/** Largest `content` of a stream or markdown message (doc 101463), UTF-8 bytes. */
export const CONTENT_BYTES = 20_480
/** A bubble is finished this long before WeCom would refuse its frames. */
export const STREAM_MARGIN_MS = 25_000

export interface SocketRoute extends Route {
  readonly streams: LiveStreams
}

export interface SocketRouteDeps extends AdapterDeps {
  readonly config: WecomConfig
  readonly transport: WecomTransport
  /** The user id as WeCom writes it, for a lower-cased one of a rule. */
  readonly userId: (id: string) => string
}

type Body = Readonly<Record<string, unknown>> & { readonly msgtype: string }

export function createSocketRoute(deps: SocketRouteDeps): SocketRoute {
  const { clock, config, scheduler, transport } = deps

  const call = (
    to: Address,
    cmd: Command,
    body: unknown,
    options: SendOptions,
    reqId?: string,
  ): Promise<unknown> =>
    paced(
      scheduler,
      { bucket: `wecom:${config.id}:chat:${to.chatId}`, limits: CHAT_LIMITS, lane: to.chatId },
      options,
      () => transport.request(cmd, body, reqId === undefined ? {} : { reqId }),
    )

  /** The req_id of the message being answered, while WeCom still takes it. */
  const liveReqId = (to: Address, replyTo: string | undefined): string | undefined => {
    const reply = decodeReply(replyTo, to.chatId)
    return reply?.via === 'socket' && clock.now() - reply.at < REPLY_WINDOW_MS ? reply.reqId : undefined
  }

  const push = async (to: Address, body: Body, options: SendOptions): Promise<void> => {
    const group = to.chatType === 'group'
    const place = { chatid: group ? to.chatId : deps.userId(to.chatId), chat_type: group ? 2 : 1 }
    try {
      await call(to, 'aibot_send_msg', { ...place, ...body }, options)
    } catch (error) {
      // 6000: WeCom refuses to push while an answer of ours is still running in the chat.
      if (!isAppError(error, 'wecom.stream_open')) throw error
      await streams.finishChat(to.chatId)
      await call(to, 'aibot_send_msg', { ...place, ...body }, options)
    }
  }

  /** Answers by req_id; a refused req_id means nothing was sent, so a push is safe. */
  const answer = async (
    to: Address,
    body: Body,
    replyTo: string | undefined,
    options: SendOptions,
  ): Promise<void> => {
    const reqId = liveReqId(to, replyTo)
    if (reqId === undefined) return push(to, body, options)
    try {
      await call(to, 'aibot_respond_msg', body, options, reqId)
    } catch (error) {
      if (!isAppError(error, 'wecom.reply_expired')) throw error
      await push(to, body, options)
    }
  }

  const markdown = async (
    to: Address,
    text: string,
    replyTo: string | undefined,
    options: SendOptions,
  ): Promise<SentMessage> =>
    sendParts(splitMarkdown(text, CONTENT_BYTES), options, async (content) => {
      await answer(to, { msgtype: 'markdown', markdown: { content } }, replyTo, options)
      return message(options)
    })

  const streams = createLiveStreams(
    streamDeps(deps, (to, text, options) => markdown(to, text, undefined, options)),
  )

  const card = async (
    to: Address,
    value: OutboundMessage & { type: 'card' },
    options: SendOptions,
  ): Promise<SentMessage> => {
    const group = to.chatType === 'group'
    if (group && config.groupCards === 'none') throw refused('group', 'cards in groups are switched off')
    const painted = paintCard(value.card, 'aibot')
    const reqId = liveReqId(to, value.replyTo)
    await streams.finishChat(to.chatId)
    const attempt = async (taskId: string): Promise<void> => {
      const body = { msgtype: 'template_card', template_card: { ...painted, task_id: taskId } }
      if (!group) return push(to, body, options)
      if (reqId !== undefined) {
        const error = await call(to, 'aibot_respond_msg', body, options, reqId).then(() => undefined, asError)
        if (error === undefined) return
        if (config.groupCards !== 'all' || errcodeOf(error) !== 846605) throw error
      }
      if (config.groupCards !== 'all') throw refused('group', 'no message to answer with the card')
      return push(to, body, options)
    }
    try {
      await withFreshTaskId(painted.task_id, deps, attempt)
    } catch (error) {
      throw cardError(error)
    }
    return message(options)
  }

  const file = async (
    to: Address,
    value: OutboundFile,
    replyTo: string | undefined,
    options: SendOptions,
  ): Promise<SentMessage> => {
    const loaded = await loadFile(value, config.imageBytes)
    const upload = async (): Promise<string> => {
      const mediaId = await uploadMedia(loaded, config.id, transport, scheduler)
      await options.onPrepared?.({ mediaId })
      return mediaId
    }
    const deliver = (mediaId: string): Promise<void> =>
      answer(to, { msgtype: loaded.type, [loaded.type]: { media_id: mediaId } }, replyTo, options)
    const known = options.prepared?.mediaId
    try {
      await deliver(typeof known === 'string' ? known : await upload())
    } catch (error) {
      // Three days have passed since an interrupted try uploaded it.
      if (typeof known !== 'string' || !isAppError(error, 'wecom.media_gone')) throw error
      await deliver(await upload())
    }
    return message(options)
  }

  const welcome = async (
    to: Address,
    text: string,
    reqId: string,
    at: number,
    options: SendOptions,
  ): Promise<SentMessage> => {
    if (clock.now() - at > EVENT_WINDOW_MS) throw welcomeLate()
    await call(to, 'aibot_respond_welcome_msg', { msgtype: 'text', text: { content: text } }, options, reqId)
    return message(options)
  }

  const send: Route['send'] = async (to, value, options) => {
    const reply = decodeReply(value.replyTo, to.chatId)
    switch (value.type) {
      case 'text':
        if (reply?.via === 'welcome') return welcome(to, value.text, reply.reqId, reply.at, options)
        return markdown(to, literalMarkdown(value.text), value.replyTo, options)
      case 'markdown':
        if (reply?.via === 'welcome') return welcome(to, value.markdown, reply.reqId, reply.at, options)
        return markdown(to, neutralMarkdown(value.markdown), value.replyTo, options)
      case 'card':
        return card(to, value, options)
      case 'file':
        return file(to, value.file, value.replyTo, options)
      case 'live': {
        const reqId = liveReqId(to, value.replyTo)
        if (reqId !== undefined) return streams.open(to, reqId, value.live, options)
        return deferLive(value.live, options, (text) =>
          markdown(to, neutralMarkdown(text), undefined, options),
        )
      }
    }
  }

  const update: Route['update'] = async (sent, to, value, options) => {
    const live = asLive(value)
    if (live === undefined) throw frozen('a card of the AI bot')
    if (sent.handle.kind === 'stream') return streams.update(sent, to, live, options)
    if (sent.handle.kind !== 'deferred') throw frozen('this message')
    return deferLive(live, options, (text) => markdown(to, neutralMarkdown(text), value.replyTo, options))
  }

  return { send, update, streams }
}

function streamDeps(deps: SocketRouteDeps, push: StreamDeps['push']): StreamDeps {
  const { config, scheduler, transport } = deps
  return {
    clock: deps.clock,
    logger: deps.logger,
    text: deps.text,
    windowMs: config.streamLimitSeconds * 1_000 - STREAM_MARGIN_MS,
    maxBytes: CONTENT_BYTES,
    push,
    sendFrame: async (bubble, frame, options) => {
      const first = bubble.content === ''
      const bucket = `wecom:${config.id}:${first ? 'chat' : 'frames'}:${bubble.chatId}`
      const pace = { bucket, limits: first ? CHAT_LIMITS : FRAME_LIMITS, lane: bubble.chatId }
      await paced(scheduler, pace, options, () =>
        transport.request('aibot_respond_msg', { msgtype: 'stream', stream: frame }, { reqId: bubble.reqId }),
      )
    },
  }
}

/** 42014: the task_id was used before. The button carries the approval, so another id changes nothing. */
async function withFreshTaskId(
  taskId: string,
  deps: SocketRouteDeps,
  attempt: (taskId: string) => Promise<void>,
): Promise<void> {
  try {
    await attempt(taskId)
  } catch (error) {
    if (errcodeOf(error) !== 42014) throw error
    await attempt(`${taskId}@${deps.random.id(5)}`)
  }
}

/** Whatever WeCom has against a card, the text form of the approval still works. */
function cardError(error: unknown): unknown {
  const errcode = errcodeOf(error)
  if (!(error instanceof AppError) || errcode === undefined || error.retryable) return error
  return new AppError('wecom.card_refused', error.message, {
    hint: 'Use the text form of the approval instead.',
    params: { reason: String(errcode), errcode },
    cause: error,
  })
}

function asError(error: unknown): unknown {
  return error
}

function message(options: SendOptions): SentMessage {
  return { messageId: options.key, handle: { kind: 'message' } }
}

/** Nobody waits for it any more; a welcome that comes late is worse than none. */
export function welcomeLate(): AppError {
  return new AppError('wecom.welcome_late', 'the welcome came after 5 seconds', {
    hint: 'WeCom shows a welcome only within 5 seconds; nothing needs to be done.',
  })
}

export function windowClosed(detail: string): AppError {
  return new AppError('wecom.reply_window_closed', detail, {
    hint: 'Connect the bot by the long connection, which can push messages, or configure an app or a group robot.',
  })
}
