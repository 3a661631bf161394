/** The AI bot's URL callback: JSON whatever its label says; answers are encrypted like the questions. */
import { z } from 'zod'
import type { RawResponse, Receive } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { ActionEvent } from '../../src/protocol/inbound.ts'
import type { Clock, Random, Translate } from '../../src/protocol/ports.ts'
import type { AibotCallbackConfig, CallbackSecrets } from './config.ts'
import { aesKey, encryptMessage, sign } from './crypto.ts'
import { pollStreamId } from './inbound.ts'
import { type Arrival, cardUpdate, type Intake } from './intake.ts'
import { markPrevious } from './media-key.ts'
import { aibotSchema } from './payload.ts'
import type { PollBoard } from './polling.ts'
import { openRotating } from './verifier.ts'
import type { CallbackHandler } from './webhook.ts'

interface AibotCallbackDeps {
  readonly bot: AibotCallbackConfig
  readonly intake: Intake
  readonly board: PollBoard
  readonly clock: Clock
  readonly random: Random
  readonly text: Translate
  readonly receive: Receive
}

/** A welcome must be on the wire within 5 s of the callback. */
const WELCOME_MS = 4_000
const envelopeSchema = z.looseObject({ encrypt: z.string().min(1) })

export function createAibotCallback(deps: AibotCallbackDeps): CallbackHandler {
  const { bot, board } = deps
  const { open, answer, isOfPrevious } = createEnvelopes(deps)

  const streamAnswer = (query: URLSearchParams, id: string): RawResponse => {
    const state = board.poll(id, deps.text('wecom.live.moved'))
    return answer(query, { msgtype: 'stream', stream: { id, finish: state.finish, content: state.content } })
  }

  const deliver = async (query: URLSearchParams, arrival: Arrival): Promise<RawResponse> => {
    const { event, payload } = arrival
    const id = pollStreamId(payload.msgid)
    switch (event.type) {
      case 'message': {
        await deps.receive(isOfPrevious(query) ? markPrevious(event) : event)
        board.open(id, deps.text('wecom.live.received'))
        return streamAnswer(query, id)
      }
      case 'action':
        return click(query, event)
      case 'chat_entered': {
        const welcome = board.awaitWelcome(id, WELCOME_MS)
        await deps.receive(event)
        const content = await welcome
        return content === undefined ? EMPTY : answer(query, { msgtype: 'text', text: { content } })
      }
      default:
        await deps.receive(event)
        return EMPTY
    }
  }

  const click = async (query: URLSearchParams, event: ActionEvent): Promise<RawResponse> => {
    const { card } = await deps.receive(event)
    return card === undefined ? EMPTY : answer(query, cardUpdate(card, event))
  }

  return {
    echo: (query) => open(query, query.get('echostr') ?? ''),
    post: async (query, body) => {
      const envelope = envelopeSchema.safeParse(jsonOf(body))
      if (!envelope.success) throw new AppError('wecom.callback_refused', 'a callback without encryption')
      const content = jsonOf(open(query, envelope.data.encrypt))
      const payload = aibotSchema.safeParse(content)
      if (!payload.success) return badJson(content)
      refuseForeign(bot, payload.data.aibotid)
      if (payload.data.stream) return streamAnswer(query, payload.data.stream.id)
      const arrival = deps.intake.read(content)
      return arrival === undefined ? EMPTY : deliver(query, arrival)
    },
  }
}

/** What encrypts and signs: opened with the current or the previous secrets, answered with the same. */
interface Envelopes {
  /** The decrypted text. Throws `wecom.callback_refused` for what neither pair of secrets opens. */
  open(query: URLSearchParams, encrypt: string): string
  /** The 200 to a callback that was opened before. */
  answer(query: URLSearchParams, content: unknown): RawResponse
  /** Whether the previous secrets opened it. */
  isOfPrevious(query: URLSearchParams): boolean
}

function createEnvelopes({ bot, clock, random }: AibotCallbackDeps): Envelopes {
  /** What each callback in hand came with: its answer is read with the same. */
  const used = new WeakMap<URLSearchParams, CallbackSecrets>()
  return {
    open: (query, encrypt) => {
      const { message, secrets } = openRotating({ ...bot, receiveId: '' }, query, encrypt, clock.now())
      used.set(query, secrets)
      return message
    },
    answer: (query, content) => {
      const salt = Buffer.from(random.id(16).slice(0, 16))
      const { token, encodingAesKey } = used.get(query) ?? bot
      const encrypt = encryptMessage(aesKey(encodingAesKey), JSON.stringify(content), '', salt)
      const timestamp = Math.floor(clock.now() / 1_000)
      const nonce = query.get('nonce') ?? ''
      const body = {
        encrypt,
        msgsignature: sign(token, String(timestamp), nonce, encrypt),
        timestamp,
        nonce,
      }
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    },
    isOfPrevious: (query) => used.get(query) === bot.previous,
  }
}

/** An acknowledgement that says nothing. */
export const EMPTY: RawResponse = { status: 200 }

function refuseForeign(bot: AibotCallbackConfig, aibotid: string | undefined): void {
  if (bot.botId === undefined || aibotid === undefined || aibotid === bot.botId) return
  throw new AppError('wecom.callback_foreign', 'a signed callback of another AI bot')
}

/** Unknown shapes are acknowledged, or WeCom would repeat them; what is not JSON at all is refused. */
function badJson(content: unknown): RawResponse {
  if (content === undefined) throw new AppError('wecom.bad_json', 'the decrypted callback is not JSON')
  return EMPTY
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Judged by the caller, who knows whether it was signed.
  }
}
