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
import { callApi } from './http.ts'
import { isFinal, paintLive } from './live-text.ts'
import { literalMarkdown, neutralMarkdown, wordsAbove } from './markdown.ts'
import type { PollBoard } from './polling.ts'
import { decodeReply, encodeReply, RESPONSE_URL_MS, type Reply } from './reply.ts'
import { asLive, finalMarkdown, frozen, type Route } from './route.ts'
import { CONTENT_BYTES } from './socket-calls.ts'
import { welcomeLate, windowClosed } from './socket-route.ts'

type PollReply = Reply & { via: 'poll' }

interface PollRouteDeps extends AdapterDeps {
  readonly config: WecomConfig
  readonly board: PollBoard
  readonly hosts: HostRule
}

export function createPollRoute(deps: PollRouteDeps): Route {
  const { board, clock } = deps
  /** Bounded by their own age: a `response_url` works once. */
  const spent = new Set<string>()

  const replyOf = (to: Address, replyTo: string | undefined): PollReply => {
    const reply = decodeReply(replyTo, to.chatId)
    if (reply?.via === 'poll') return reply
    throw windowClosed('a URL-callback bot can only answer messages')
  }

  const byUrl = async (
    reply: PollReply,
    body: Readonly<Record<string, unknown>>,
    options: SendOptions,
  ): Promise<SentMessage> => {
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

  const markdownByUrl = (reply: PollReply, content: string, options: SendOptions): Promise<SentMessage> => {
    if (Buffer.byteLength(content) > CONTENT_BYTES) {
      throw new AppError('wecom.too_long', `${Buffer.byteLength(content)} bytes in one answer`, {
        hint: 'A URL-callback bot has one answer of 20,480 bytes; use the long connection.',
      })
    }
    return byUrl(reply, { msgtype: 'markdown', markdown: { content } }, options)
  }

  const markdown = async (reply: PollReply, content: string, options: SendOptions): Promise<SentMessage> => {
    const stream = board.get(reply.stream)
    const free = stream && !stream.finish && !stream.attached && Buffer.byteLength(content) <= CONTENT_BYTES
    if (free && (await board.finish(reply.stream, content))) {
      return { messageId: reply.stream, handle: { kind: 'message' } }
    }
    return markdownByUrl(reply, content, options)
  }

  const live = async (reply: PollReply, state: LiveState, options: SendOptions): Promise<SentMessage> => {
    const stream = board.get(reply.stream)
    if (stream) stream.attached = true
    const painted = paintLive(state, 0, CONTENT_BYTES, deps.text)
    const sent = { messageId: reply.stream, handle: { kind: 'poll', reply: encodeReply(reply) } }
    if (!isFinal(state)) {
      board.show(reply.stream, painted.content)
      return sent
    }
    // The running message and the outbox may both bring the final.
    if (stream?.finish && stream.content === painted.content) return sent
    if (painted.shown === state.text.length) {
      if (await board.finish(reply.stream, painted.content)) return sent
      return markdownByUrl(reply, neutralMarkdown(finalMarkdown(state)), options)
    }
    const first = paintLive(state, 0, CONTENT_BYTES, deps.text, deps.text('wecom.live.below'))
    const taken = await board.finish(reply.stream, first.content)
    const rest = taken ? { ...state, text: state.text.slice(first.shown) } : state
    return markdownByUrl(reply, neutralMarkdown(finalMarkdown(rest)), options)
  }

  const card = async (
    to: Address,
    message: OutboundMessage & { type: 'card' },
    options: SendOptions,
  ): Promise<SentMessage> => {
    if (to.chatType === 'group' && deps.config.groupCards === 'none') throw refused('group', 'switched off')
    const painted = paintCard(message.card, 'aibot', { more: deps.text('wecom.card.more') })
    const reply = replyOf(to, message.replyTo)
    const told = await tellBefore(board, reply.stream, message.card)
    // response_url works once: with the words untold, the text form is the only one that shows all.
    if (!told && !fitsWhole(message.card)) throw refused('text', 'the card cannot show every word')
    return byUrl(reply, { msgtype: 'template_card', template_card: painted }, options).catch(
      (error: unknown) => {
        throw error instanceof AppError && !error.retryable ? refused('response_url', error.message) : error
      },
    )
  }

  const send: Route['send'] = async (to, message, options) => {
    const welcome = decodeReply(message.replyTo, to.chatId)
    if (welcome?.via === 'http-welcome') return answerWelcome(board, welcome.stream, message, options)
    switch (message.type) {
      case 'text':
        return markdown(replyOf(to, message.replyTo), literalMarkdown(message.text), options)
      case 'markdown':
        return markdown(replyOf(to, message.replyTo), neutralMarkdown(message.markdown), options)
      case 'live':
        return live(replyOf(to, message.replyTo), message.live, options)
      case 'card':
        return card(to, message, options)
      case 'file':
        throw new AppError('wecom.files_need_socket', 'a URL-callback bot cannot send files', {
          hint: 'Switch the AI bot to the long connection, or configure an app.',
        })
    }
  }

  return {
    send,
    update: async (sent, to, message, options) => {
      const state = asLive(message)
      const reply = decodeReply(String(sent.handle.reply ?? ''), to.chatId)
      if (state === undefined || reply?.via !== 'poll') throw frozen('this message')
      return live(reply, state, options)
    },
  }
}

/** Ends the polled stream before a card, with the words that the card cannot show; true when WeCom took them. */
async function tellBefore(board: PollBoard, id: string, card: Card): Promise<boolean> {
  const stream = board.get(id)
  if (stream === undefined || stream.finish) return false
  const words = fitsWhole(card) ? '' : wordsAbove(card)
  const shown = stream.attached || words === '' ? stream.content : ''
  return board.finish(id, [shown, words].filter((part) => part !== '').join('\n\n'))
}

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
