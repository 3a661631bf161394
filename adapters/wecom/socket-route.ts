/**
 * The AI bot's long connection as a way out: answers by the callback's req_id while it lives, pushes by
 * `aibot_send_msg` otherwise. An acknowledgement that got lost is never answered by sending again.
 */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundFile, SentMessage } from '../../src/protocol/outbound.ts'
import { loadFile, sendUploaded } from './file.ts'
import { literalMarkdown, neutralMarkdown } from './markdown.ts'
import { CHAT_LIMITS, FRAME_LIMITS, paced } from './pacing.ts'
import { decodeReply, EVENT_WINDOW_MS } from './reply.ts'
import { asLive, deferLive, frozen, type Route, saidAlready } from './route.ts'
import {
  CONTENT_BYTES,
  createSocketCalls,
  message,
  type SocketCalls,
  type SocketRouteDeps,
} from './socket-calls.ts'
import { sendCard } from './socket-card.ts'
import { createLiveStreams, type LiveStreams, type StreamDeps } from './stream.ts'
import { uploadMedia } from './upload.ts'

/** A bubble is finished this long before WeCom would refuse its frames. */
export const STREAM_MARGIN_MS = 25_000

interface SocketRoute extends Route {
  readonly streams: LiveStreams
}

export function createSocketRoute(deps: SocketRouteDeps): SocketRoute {
  const calls = createSocketCalls(deps, (chatId) => streams.finishChat(chatId))
  const streams = createLiveStreams(streamDeps(deps, calls))
  const { liveReqId, markdown } = calls

  const send: Route['send'] = async (to, value, options) => {
    const reply = decodeReply(value.replyTo, to.chatId)
    switch (value.type) {
      case 'text':
        if (reply?.via === 'welcome') return welcome(deps, calls, to, value.text, reply, options)
        return markdown(to, literalMarkdown(value.text), value.replyTo, options)
      case 'markdown':
        if (reply?.via === 'welcome') return welcome(deps, calls, to, value.markdown, reply, options)
        return markdown(to, neutralMarkdown(value.markdown), value.replyTo, options)
      case 'card':
        await streams.finishChat(to.chatId)
        return sendCard(deps, calls, to, value, options)
      case 'file':
        return sendFile(deps, calls, to, value.file, value.replyTo, options)
      case 'live': {
        const reqId = liveReqId(to, value.replyTo)
        if (reqId !== undefined) return streams.open(to, reqId, value.live, options)
        return deferLive(value.live, options, (text, own) =>
          markdown(to, neutralMarkdown(text), undefined, own),
        )
      }
    }
  }

  const update: Route['update'] = async (sent, to, value, options) => {
    const live = asLive(value)
    if (live === undefined) throw frozen('a card of the AI bot')
    if (sent.handle.kind === 'stream') return streams.update(sent, to, live, options)
    if (saidAlready(sent, live) || options.repaint === true) return sent
    if (sent.handle.kind !== 'deferred') throw frozen('this message')
    return deferLive(live, options, (text, own) => markdown(to, neutralMarkdown(text), value.replyTo, own))
  }

  return { send, update, streams }
}

async function sendFile(
  deps: SocketRouteDeps,
  calls: SocketCalls,
  to: Address,
  value: OutboundFile,
  replyTo: string | undefined,
  options: SendOptions,
): Promise<SentMessage> {
  const loaded = await loadFile(value, deps.config.imageBytes)
  return sendUploaded(
    options,
    () => uploadMedia(loaded, deps.config.id, deps.transport, deps.scheduler),
    async (mediaId) => {
      const body = { msgtype: loaded.type, [loaded.type]: { media_id: mediaId } }
      await calls.answer(to, body, replyTo, options)
      return message(options)
    },
  )
}

async function welcome(
  deps: SocketRouteDeps,
  calls: SocketCalls,
  to: Address,
  content: string,
  reply: { reqId: string; at: number },
  options: SendOptions,
): Promise<SentMessage> {
  if (deps.clock.now() - reply.at > EVENT_WINDOW_MS) throw welcomeLate()
  const body = { msgtype: 'text', text: { content } }
  await calls.call(to, 'aibot_respond_welcome_msg', body, options, reply.reqId)
  return message(options)
}

function streamDeps(deps: SocketRouteDeps, calls: SocketCalls): StreamDeps {
  const { config, scheduler, transport } = deps
  return {
    clock: deps.clock,
    logger: deps.logger,
    text: deps.text,
    windowMs: config.streamLimitSeconds * 1_000 - STREAM_MARGIN_MS,
    maxBytes: CONTENT_BYTES,
    push: (to, text, options) => calls.markdown(to, text, undefined, options),
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
