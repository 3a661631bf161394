/**
 * The evolving message of a run. First choice is a CardKit card with the typewriter; a tenant without
 * that scope gets a card that is patched; where even cards are refused, a line of text and the answer
 * as a message at the end. What was said is never lost on the way down.
 */
import type { AdapterDeps, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import { isAppError } from '../../../src/protocol/errors.ts'
import type { LiveState, SentMessage } from '../../../src/protocol/outbound.ts'
import type { Api } from '../api/client.ts'
import { patchCard } from '../api/message.ts'
import { isFinal, paintLive } from '../card/live.ts'
import { isRefusedCard, sendMarkdown, sendText } from './answer.ts'
import { parseHandle } from './handle.ts'
import { createLiveStream, type LiveMessage } from './live-stream.ts'
import { deliver } from './target.ts'

interface LiveOutbound {
  send(to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage>
  update(sent: SentMessage, to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage>
}

type Deps = Pick<AdapterDeps, 'text' | 'logger' | 'clock'>

/** Builds the live messages of one app. */
export function createLive(api: Api, deps: Deps): LiveOutbound {
  const stream = createLiveStream(api, deps)
  return {
    send: (to, message, options) =>
      firstThatWorks(deps, [
        () => stream.send(to, message, options),
        () => sendPatchable(api, deps, to, message, options),
        () => sendPlain(api, to, message, options),
      ]),
    update: (sent, to, message, options) => {
      const { messageId } = sent
      const { live } = message
      const handle = parseHandle(sent.handle)
      const patch = async (): Promise<SentMessage> => {
        await patchLive(api, deps, messageId, live, options)
        return { messageId, handle: { mode: 'patch' } }
      }
      const plain = async (): Promise<SentMessage> =>
        isFinal(live) ? sendPlain(api, to, message, options) : { messageId, handle: { mode: 'plain' } }
      if (handle.mode === 'plain') return plain()
      if (handle.mode !== 'cardkit') return firstThatWorks(deps, [patch, plain])
      const streamOn = async (): Promise<SentMessage> => ({
        messageId,
        handle: await stream.update(handle, live, options),
      })
      return firstThatWorks(deps, [streamOn, patch, plain])
    },
  }
}

/** Tries one way after the other; trouble that another form cannot help is thrown at once. */
async function firstThatWorks(
  deps: Pick<Deps, 'logger'>,
  ways: readonly (() => Promise<SentMessage>)[],
): Promise<SentMessage> {
  const [way, ...others] = ways
  if (!way) throw new Error('no way was given')
  try {
    return await way()
  } catch (error) {
    if (others.length === 0 || !isWorthAnotherWay(error)) throw error
    deps.logger.warn({ err: error }, 'feishu live card failed; a simpler form is used')
    return firstThatWorks(deps, others)
  }
}

/** A card that is updated as a message, five times a second, without typewriter. */
async function sendPatchable(
  api: Api,
  deps: Deps,
  to: Address,
  message: LiveMessage,
  options: SendOptions,
): Promise<SentMessage> {
  const { card } = paintLive(message.live, { text: deps.text })
  const wire = { msgType: 'interactive' as const, content: card }
  return { messageId: await deliver(api, to, wire, message.replyTo, options), handle: { mode: 'patch' } }
}

async function patchLive(
  api: Api,
  deps: Deps,
  messageId: string,
  state: LiveState,
  options: SendOptions,
): Promise<void> {
  try {
    await patchCard(api, messageId, paintLive(state, { text: deps.text }).card, options)
  } catch (error) {
    if (!isRefusedCard(error)) throw error
    await patchCard(api, messageId, paintLive(state, { text: deps.text, literal: true }).card, options)
  }
}

/** The label while the run goes on, the answer when it is done. */
async function sendPlain(
  api: Api,
  to: Address,
  message: LiveMessage,
  options: SendOptions,
): Promise<SentMessage> {
  const outgoing = { to, replyTo: message.replyTo }
  if (isFinal(message.live)) return sendMarkdown(api, outgoing, message.live.text, options)
  const { messageId } = await sendText(api, outgoing, message.live.label, options)
  return { messageId, handle: { mode: 'plain' } }
}

const CHAT_TROUBLE = new Set([
  'feishu.bot_not_in_chat',
  'feishu.bot_disabled',
  'feishu.bad_secret',
  'feishu.chat_gone',
  'feishu.forbidden_by_chat',
  'feishu.ip_refused',
  'feishu.quota_used_up',
  'feishu.target_gone',
  'feishu.token_invalid',
  'feishu.topic_gone',
  'feishu.user_unavailable',
])

/** Trouble with the card may pass in another form; trouble with the chat, or a busy server, may not. */
function isWorthAnotherWay(error: unknown): boolean {
  return (
    isAppError(error) && error.code.startsWith('feishu.') && !error.retryable && !CHAT_TROUBLE.has(error.code)
  )
}
