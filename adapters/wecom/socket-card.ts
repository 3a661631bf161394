/** Cards of the AI bot: into a single chat by push, into a group as an answer to the message. */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { paintCard, refused } from './card.ts'
import { errcodeOf } from './errors.ts'
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
  const painted = paintCard(value.card, 'aibot')
  const reqId = calls.liveReqId(to, value.replyTo)
  try {
    await withFreshTaskId(painted.task_id, deps, (taskId) => {
      const body = { msgtype: 'template_card', template_card: { ...painted, task_id: taskId } }
      return to.chatType === 'group'
        ? toGroup(deps, calls, to, body, reqId, options)
        : calls.push(to, body, options)
    })
  } catch (error) {
    throw cardError(error)
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
  const mayPush = deps.config.groupCards === 'all'
  if (reqId === undefined) {
    if (!mayPush) throw refused('group', 'no message to answer with the card')
    return calls.push(to, body, options)
  }
  try {
    await calls.call(to, 'aibot_respond_msg', body, options, reqId)
  } catch (error) {
    if (!mayPush || errcodeOf(error) !== 846605) throw error
    await calls.push(to, body, options)
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
