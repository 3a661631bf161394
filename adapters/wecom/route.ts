/** A way out of the house: the AI bot's connection, its URL callback, an app, or a group robot. */
import type { SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { LiveState, OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { digestOf } from './bubble.ts'
import { outcomeUnknown } from './errors.ts'
import { isFinal } from './live-text.ts'

export interface Route {
  send(to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
  update(sent: SentMessage, to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
}

/** What a final text or markdown means to a running message: its last state. */
export function asLive(message: OutboundMessage): LiveState | undefined {
  const done = { phase: 'done' as const, label: '', steps: [], todos: [] }
  if (message.type === 'live') return message.live
  if (message.type === 'markdown') return { ...done, text: message.markdown }
  if (message.type === 'text') return { ...done, text: message.text }
  return undefined
}

/** The final state of a running message as one markdown text. */
export function finalMarkdown(live: LiveState): string {
  return (
    [live.phase === 'done' ? '' : live.label, live.text, live.footer].filter(Boolean).join('\n\n') ||
    live.label
  )
}

/**
 * A running message where nothing can run: it stays unsent until its final state, then goes out once.
 * @param push sends markdown as one or more messages, with the options that know how many arrived
 */
export async function deferLive(
  live: LiveState,
  options: SendOptions,
  push: (markdown: string, options: SendOptions) => Promise<SentMessage>,
): Promise<SentMessage> {
  if (!isFinal(live)) return { messageId: '', handle: { kind: 'deferred' } }
  // Unlike a stream frame this does not replace: a try that a crash interrupted must not be repeated.
  if (options.prepared?.kind === 'final' && options.prepared.tried === true)
    throw outcomeUnknown('final message')
  let parts = partsIn(options)
  const note = async (tried: boolean): Promise<void> => {
    await options.onPrepared?.({ kind: 'final', tried, parts })
  }
  await note(true)
  try {
    const sent = await push(finalMarkdown(live), {
      ...options,
      onPrepared: async (handle) => {
        parts = partsIn({ prepared: handle })
        await note(true)
      },
    })
    return { ...sent, handle: { ...sent.handle, final: digestOf(live.text) } }
  } catch (error) {
    if (error instanceof AppError && error.retryable) await note(false)
    throw error
  }
}

/** How many parts of a message an interrupted try brought into the chat. */
function partsIn({ prepared }: Pick<SendOptions, 'prepared'>): number {
  return typeof prepared?.parts === 'number' ? prepared.parts : 0
}

/** True when this final went out before: the running message and the outbox may both bring it. */
export function saidAlready(sent: SentMessage, live: LiveState): boolean {
  return isFinal(live) && sent.handle.final === digestOf(live.text)
}

/**
 * Sends parts in order and remembers how many arrived, so that a retry goes on behind the last one.
 * @returns the last part's message
 */
export async function sendParts(
  parts: readonly string[],
  options: SendOptions,
  send: (part: string) => Promise<SentMessage>,
): Promise<SentMessage> {
  const done = partsIn(options)
  let sent: SentMessage = { messageId: options.key, handle: { kind: 'message' } }
  for (const [index, part] of parts.entries()) {
    if (index < done) continue
    sent = await send(part)
    if (index < parts.length - 1) await options.onPrepared?.({ parts: index + 1 })
  }
  return sent
}

/** The message cannot be changed any more; the caller sends a new one. */
export function frozen(what: string): AppError {
  return new AppError('wecom.frozen', `${what} can no longer be changed`, { hint: 'Send a new message.' })
}
