/** Cards of the AI bot: into a single chat by push, into a group as an answer to the message. */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import type { Card } from '../../src/protocol/card.ts'
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { fitsWhole, paintCard, refused } from './card.ts'
import { errcodeOf } from './errors.ts'
import { wordsAbove } from './markdown.ts'
import { message, type SocketCalls, type SocketRouteDeps } from './socket-calls.ts'

/** Rejects with `wecom.card_refused` whenever the text form must be used instead. */
export async function sendCard(
  deps: SocketRouteDeps,
  calls: SocketCalls,
  to: Address,
  value: OutboundMessage & { type: 'card' },
  options: SendOptions,
): Promise<SentMessage> {
  if (to.chatType === 'group' && deps.config.groupCards === 'none') {
    throw refused('group', 'cards in groups are switched off')
  }
  const painted = paintCard(value.card, 'aibot', { more: deps.text('wecom.card.more') })
  const reqId = calls.liveReqId(to, value.replyTo)
  if (to.chatType === 'group' && reqId === undefined && deps.config.groupCards !== 'all') {
    throw refused('group', 'no message to answer with the card')
  }
  const said = await sayFirst(value.card, options, (text) =>
    calls.markdown(to, text, value.replyTo, inner(options)),
  )
  try {
    await withFreshTaskId(painted.task_id, deps, (taskId) => {
      const body = { msgtype: 'template_card', template_card: { ...painted, task_id: taskId } }
      return to.chatType === 'group'
        ? toGroup(deps, calls, to, body, reqId, options)
        : calls.push(to, body, options)
    })
  } catch (cause) {
    const error = cardError(cause)
    // The words that went ahead are the text form of the approval; saying them again helps nobody.
    if (!said || !isAppError(error, 'wecom.card_refused')) throw error
    deps.logger.info({ error: error.message }, 'wecom: the card was refused; its words stand in the chat')
  }
  return message(options)
}

async function toGroup(
  deps: SocketRouteDeps,
  calls: SocketCalls,
  to: Address,
  body: { msgtype: string },
  reqId: string | undefined,
  options: SendOptions,
): Promise<void> {
  if (reqId === undefined) return calls.push(to, body, options)
  try {
    await calls.call(to, 'aibot_respond_msg', body, options, reqId)
  } catch (error) {
    if (deps.config.groupCards !== 'all' || errcodeOf(error) !== 846605) throw error
    await calls.push(to, body, options)
  }
}

/**
 * Says the whole card in words before a card that cannot show all of it, once also over retries.
 * @param say sends markdown
 * @returns whether the words stand in the chat
 */
export async function sayFirst(
  card: Card,
  options: SendOptions,
  say: (markdown: string) => Promise<unknown>,
): Promise<boolean> {
  if (fitsWhole(card)) return false
  if (options.prepared?.said === true) return true
  await say(wordsAbove(card))
  await options.onPrepared?.({ said: true })
  return true
}

/** The words before a card are not the message that the options' handles are about. */
export function inner(options: SendOptions): SendOptions {
  const { key, priority, signal } = options
  return { key, priority, ...(signal && { signal }) }
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
