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

interface Turn {
  world: World
  output: BotOutput
  bot: CorpBot
  handle: Handle
  body: object
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
  const reject = (bot: CorpBot, error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error)
    world.journal.open({ channel: 'http-in', name: 'passive reply', who: bot.botId, request: text })(
      'refused',
      -1,
    )
  }
  return {
    message: (bot, handle, body, userid) => {
      const key = `${bot.botId}|${userid}`
      const open = openTurns.get(key) ?? 0
      if (open >= OPEN_TURNS_MAX) throw disallow('three questions to this bot are still open')
      openTurns.set(key, open + 1)
      answerMessage({ world, output, bot, handle, body })
        .catch((error: unknown) => reject(bot, error))
        .finally(() => openTurns.set(key, (openTurns.get(key) ?? 1) - 1))
    },
    event: (bot, handle, body) => {
      answerEvent({ world, output, bot, handle, body }).catch((error: unknown) => reject(bot, error))
    },
  }
}

/** Posts and opens the passive answer; undefined for an empty one or none. */
async function call(turn: Turn, body: object, attempts: 1 | 3, label: string): Promise<unknown> {
  const { world, bot } = turn
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

const place = ({ output, bot, handle }: Turn, body: unknown): boolean =>
  output.place({
    bot,
    chat: handle.chat,
    way: 'url',
    allowed: handle.kind === 'enter' ? WELCOME_ANSWERS : MESSAGE_ANSWERS,
    body,
    quoteId: handle.messageId,
    countedFrom: handle.openedAt,
  })

async function answerMessage(turn: Turn): Promise<void> {
  const answer = await call(turn, turn.body, 3, 'message')
  if (answer === undefined || place(turn, answer)) return
  await poll(turn, accept(streamOf, answer).stream.id)
}

/** Asks for the rest of a stream every second until it is finished or its time is over. */
async function poll(turn: Turn, streamId: string): Promise<void> {
  const { world, handle } = turn
  const {
    msgtype: _type,
    text: _text,
    quote: _quote,
    response_url: _url,
    ...head
  } = z.looseObject({}).parse(turn.body)
  const end = handle.openedAt + world.settings.streamLimitSec * 1000
  for (;;) {
    await world.clock.sleep(POLL_MS)
    if (world.clock.monotonic() > end) return
    const body = { ...head, msgid: world.random.id(20), msgtype: 'stream', stream: { id: streamId } }
    const answer = await call(turn, body, 1, 'stream')
    if (answer !== undefined && place(turn, answer)) return
  }
}

/** Events are posted once; a card event's answer changes the card, an enter_chat's is a welcome. */
async function answerEvent(turn: Turn): Promise<void> {
  const { world, output, handle } = turn
  const answer = await call(turn, turn.body, 1, 'event')
  if (answer === undefined) return
  if (handle.kind === 'enter') {
    place(turn, answer)
    return
  }
  const message = handle.messageId === undefined ? undefined : world.chats.find(handle.messageId)
  if (handle.kind !== 'click' || !message) throw new Error('this event takes an empty answer only')
  output.updateCard(message, answer)
  handle.click?.settle(true)
}
