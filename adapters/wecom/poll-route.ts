/**
 * The URL-callback AI bot as a way out: the polled stream of the message first, then its `response_url`,
 * once within an hour. It can push nothing and send no files; errors say what could.
 */
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import type { Card } from '../../src/protocol/card.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { LiveState, OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { fitsWhole, paintCard, refused } from './card.ts'
import type { WecomConfig } from './config.ts'
import type { HostRule } from './host.ts'
import { isFinal, paintLive } from './live-text.ts'
import { literalMarkdown, neutralMarkdown, wordsAbove } from './markdown.ts'
import type { PollBoard } from './polling.ts'
import { decodeReply, encodeReply } from './reply.ts'
import { createResponseUrls, type PollReply, type ResponseUrls } from './response-url.ts'
import { asLive, finalMarkdown, frozen, type Route } from './route.ts'
import { CONTENT_BYTES } from './socket-calls.ts'
import { welcomeLate, windowClosed } from './socket-route.ts'

interface PollRouteDeps extends AdapterDeps {
  readonly config: WecomConfig
  readonly board: PollBoard
  readonly hosts: HostRule
}

/** The two ways an answer can take, and what is said on them. */
interface Ways extends PollRouteDeps {
  readonly urls: ResponseUrls
}

/** Rejects with `wecom.reply_window_closed` for whatever is not the answer to a message of the last hour. */
export function createPollRoute(deps: PollRouteDeps): Route {
  const ways: Ways = { ...deps, urls: createResponseUrls(deps) }
  return {
    send: async (to, message, options) => {
      const welcome = decodeReply(message.replyTo, to.chatId)
      if (welcome?.via === 'http-welcome') return answerWelcome(deps.board, welcome.stream, message, options)
      const reply = (): PollReply => replyOf(to, message.replyTo)
      switch (message.type) {
        case 'text':
          return sendMarkdown(ways, reply(), literalMarkdown(message.text), options)
        case 'markdown':
          return sendMarkdown(ways, reply(), neutralMarkdown(message.markdown), options)
        case 'live':
          return showLive(ways, reply(), message.live, options)
        case 'card':
          return sendCard(ways, to, message, options)
        case 'file':
          throw new AppError('wecom.files_need_socket', 'a URL-callback bot cannot send files', {
            hint: 'Switch the AI bot to the long connection, or configure an app.',
          })
      }
    },
    update: async (sent, to, message, options) => {
      const state = asLive(message)
      const reply = decodeReply(String(sent.handle.reply ?? ''), to.chatId)
      if (state === undefined || reply?.via !== 'poll') throw frozen('this message')
      return showLive(ways, reply, state, options)
    },
  }
}

function replyOf(to: Address, replyTo: string | undefined): PollReply {
  const reply = decodeReply(replyTo, to.chatId)
  if (reply?.via === 'poll') return reply
  throw windowClosed('a URL-callback bot can only answer messages')
}

/** As the polled stream's content where nothing runs there and a poll takes it; by URL otherwise. */
async function sendMarkdown(
  { board, urls }: Ways,
  reply: PollReply,
  content: string,
  options: SendOptions,
): Promise<SentMessage> {
  const stream = board.get(reply.stream)
  const free = stream && !stream.finish && !stream.attached && Buffer.byteLength(content) <= CONTENT_BYTES
  if (free && (await board.finish(reply.stream, content))) {
    return { messageId: reply.stream, handle: { kind: 'message' } }
  }
  return urls.markdown(reply, content, options)
}

/** The running message lives in the polled stream; a final, or its rest, that no poll took goes by URL. */
async function showLive(
  { board, urls, text }: Ways,
  reply: PollReply,
  state: LiveState,
  options: SendOptions,
): Promise<SentMessage> {
  const stream = board.get(reply.stream)
  if (stream) stream.attached = true
  const painted = paintLive(state, 0, CONTENT_BYTES, text)
  const sent = { messageId: reply.stream, handle: { kind: 'poll', reply: encodeReply(reply) } }
  if (!isFinal(state)) {
    board.show(reply.stream, painted.content)
    return sent
  }
  // The running message and the outbox may both bring the final.
  if (stream?.finish && stream.content === painted.content) return sent
  if (painted.shown === state.text.length) {
    if (await board.finish(reply.stream, painted.content)) return sent
    return urls.markdown(reply, neutralMarkdown(finalMarkdown(state)), options)
  }
  const first = paintLive(state, 0, CONTENT_BYTES, text, text('wecom.live.below'))
  const taken = await board.finish(reply.stream, first.content)
  const rest = taken ? { ...state, text: state.text.slice(first.shown) } : state
  return urls.markdown(reply, neutralMarkdown(finalMarkdown(rest)), options)
}

/** Rejects with `wecom.card_refused` whenever the text form must be used instead. */
async function sendCard(
  { board, config, text, urls }: Ways,
  to: Address,
  message: OutboundMessage & { type: 'card' },
  options: SendOptions,
): Promise<SentMessage> {
  if (to.chatType === 'group' && config.groupCards === 'none') throw refused('group', 'switched off')
  const painted = paintCard(message.card, 'aibot', { more: text('wecom.card.more') })
  const reply = replyOf(to, message.replyTo)
  const told = await tellBefore(board, reply.stream, message.card)
  // response_url works once: with the words untold, the text form is the only one that shows all.
  if (!told && !fitsWhole(message.card)) throw refused('text', 'the card cannot show every word')
  return urls
    .post(reply, { msgtype: 'template_card', template_card: painted }, options)
    .catch((error: unknown) => {
      throw error instanceof AppError && !error.retryable ? refused('response_url', error.message) : error
    })
}

/** Ends the polled stream before a card, with the words that the card cannot show; true when WeCom took them. */
async function tellBefore(board: PollBoard, id: string, card: Card): Promise<boolean> {
  const stream = board.get(id)
  if (stream === undefined || stream.finish) return false
  const words = fitsWhole(card) ? '' : wordsAbove(card)
  const shown = stream.attached || words === '' ? stream.content : ''
  return board.finish(id, [shown, words].filter((part) => part !== '').join('\n\n'))
}

/** Hands a welcome to the open request that waits for it; throws `wecom.welcome_late` when none does. */
function answerWelcome(
  board: PollBoard,
  id: string,
  message: OutboundMessage,
  options: SendOptions,
): SentMessage {
  const text = message.type === 'text' ? message.text : message.type === 'markdown' ? message.markdown : ''
  if (text === '' || !board.welcome(id, text)) throw welcomeLate()
  return { messageId: options.key, handle: { kind: 'message' } }
}
