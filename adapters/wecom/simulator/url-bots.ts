/** AI bots behind a callback URL: encrypted JSON, passive answers, stream polling (doc 100719, 101031, 101033). */
import { z } from 'zod'
import type { BotOutput } from './bot-output.ts'
import { openAnswer, postCallback } from './callback-post.ts'
import type { CorpBot } from './corp.ts'
import type { Handle } from './handles.ts'
import { accept, disallow } from './refusal.ts'
import type { World } from './world.ts'

export interface UrlBots {
  /** Delivers a message, places the answer, polls an unfinished stream. Throws when the person has 3 open turns. */
  message(bot: CorpBot, handle: Handle, body: object, userid: string): void
  event(bot: CorpBot, handle: Handle, body: object): void
}

const POLL_MS = 1000
const OPEN_TURNS_MAX = 3
const MESSAGE_ANSWERS = ['stream', 'template_card', 'stream_with_template_card']
const WELCOME_ANSWERS = ['text', 'template_card']

const answerSchema = z.looseObject({
  encrypt: z.string(),
  msgsignature: z.string(),
  timestamp: z.number().int(),
  nonce: z.string(),
})
const streamOf = z.looseObject({ stream: z.looseObject({ id: z.string() }) })

export function createUrlBots(world: World, output: BotOutput): UrlBots {
  const openTurns = new Map<string, number>()

  const call = async (bot: CorpBot, body: object, attempts: 1 | 3, label: string): Promise<unknown> => {
    const to = bot.callback
    if (!to) return undefined
    const answer = await postCallback(world, {
      to,
      receiveId: '',
      plain: JSON.stringify(body),
      envelope: (encrypt) => JSON.stringify({ encrypt }),
      contentType: world.settings.callbackContentType,
      attempts,
      who: bot.botId,
      label,
    })
    if (!answer) return undefined
    const parts = accept(answerSchema, JSON.parse(answer.text))
    const plain = openAnswer(to, '', answer, {
      encrypted: parts.encrypt,
      signature: parts.msgsignature,
      timestamp: String(parts.timestamp),
      nonce: parts.nonce,
    })
    return JSON.parse(plain)
  }

  const reject = (bot: CorpBot, error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error)
    world.journal.open({ channel: 'http-in', name: 'passive reply', who: bot.botId, request: text })(
      'refused',
      -1,
    )
  }

  /** Asks for the rest of a stream every second until it is finished or its time is over. */
  const poll = async (bot: CorpBot, handle: Handle, head: object, streamId: string): Promise<void> => {
    const end = handle.openedAt + world.settings.streamLimitSec * 1000
    for (;;) {
      await world.clock.sleep(POLL_MS)
      if (world.clock.monotonic() > end) return
      const body = { ...head, msgid: world.random.id(20), msgtype: 'stream', stream: { id: streamId } }
      const answer = await call(bot, body, 1, 'stream')
      if (answer !== undefined && place(bot, handle, answer)) return
    }
  }

  const place = (bot: CorpBot, handle: Handle, body: unknown): boolean =>
    output.place({
      bot,
      chat: handle.chat,
      way: 'url',
      allowed: handle.kind === 'enter' ? WELCOME_ANSWERS : MESSAGE_ANSWERS,
      body,
      quoteId: handle.messageId,
      countedFrom: handle.openedAt,
    })

  const turn = async (bot: CorpBot, handle: Handle, body: object): Promise<void> => {
    const answer = await call(bot, body, 3, 'message')
    if (answer === undefined || place(bot, handle, answer)) return
    const {
      msgtype: _type,
      text: _text,
      quote: _quote,
      response_url: _url,
      ...head
    } = z.looseObject({}).parse(body)
    await poll(bot, handle, head, accept(streamOf, answer).stream.id)
  }

  const answerEvent = async (bot: CorpBot, handle: Handle, body: object): Promise<void> => {
    const answer = await call(bot, body, 1, 'event')
    if (answer === undefined) return
    if (handle.kind === 'enter') {
      place(bot, handle, answer)
      return
    }
    const message = handle.messageId === undefined ? undefined : world.chats.find(handle.messageId)
    if (handle.kind !== 'click' || !message) throw new Error('this event takes an empty answer only')
    output.updateCard(bot, message, answer)
    handle.click?.settle(true)
  }

  return {
    message: (bot, handle, body, userid) => {
      const key = `${bot.botId}|${userid}`
      const open = openTurns.get(key) ?? 0
      if (open >= OPEN_TURNS_MAX) throw disallow('three questions to this bot are still open')
      openTurns.set(key, open + 1)
      turn(bot, handle, body)
        .catch((error: unknown) => reject(bot, error))
        .finally(() => openTurns.set(key, (openTurns.get(key) ?? 1) - 1))
    },
    event: (bot, handle, body) => {
      answerEvent(bot, handle, body).catch((error: unknown) => reject(bot, error))
    },
  }
}
