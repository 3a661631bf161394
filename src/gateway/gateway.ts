/**
 * The only way in. Takes events from adapters, decides whether they are for us, makes them durable,
 * and lets the adapter acknowledge. It knows ids, rules and rows; it refuses to know models, tools
 * and platforms. Nothing here waits for any of them.
 */

import { createHash } from 'node:crypto'
import type { Receipt } from '../protocol/adapter.ts'
import { chatKey, sessionKey } from '../protocol/address.ts'
import type { ActionEvent, InboundEvent, MessageEvent } from '../protocol/inbound.ts'
import type { NewInboxRow } from '../store/repositories/inbox.ts'
import { admit } from './admission.ts'
import { createBotChainGuard } from './bot-chain.ts'
import { createBotLoopGuard } from './bot-loop.ts'
import { runCommand } from './commands/run.ts'
import type { GatewayDeps } from './deps.ts'
import { fingerprint, mayBeMeantTwice } from './fingerprint.ts'
import { createInboxWriter } from './inbox-writer.ts'
import { handleMembership, handleRecall } from './membership.ts'
import { notify } from './notice.ts'
import { warnOfKey, withoutKeys } from './pasted-secret.ts'

export interface Gateway {
  /** What `Adapter.start` is given. Resolves when the event is safe; rejects to have it delivered again. */
  receive(event: InboundEvent): Promise<Receipt>
  /** Carries out commands that were acknowledged at least `ageMs` ago and never answered, by a crash or a full disk. */
  recover(ageMs?: number): Promise<void>
  /** Waits for work that goes on after the acknowledgement. */
  drain(): Promise<void>
}

const NOTHING: Receipt = {}

export function createGateway(deps: GatewayDeps): Gateway {
  const writer = createInboxWriter(deps.store, deps.clock)
  const loops = createBotLoopGuard(deps.clock)
  const chains = createBotChainGuard({ db: deps.store.db, clock: deps.clock }, deps.inbound.botChain)
  const background = new Set<Promise<void>>()

  const later = (what: string, work: Promise<void>): void => {
    const task = work.then(
      () => void background.delete(task),
      (error: unknown) => {
        background.delete(task)
        deps.logger.error({ error }, `${what} failed after the acknowledgement`)
      },
    )
    background.add(task)
  }

  /** Bots that answer each other never stop by themselves. */
  const isTooMuch = async (event: MessageEvent): Promise<boolean> => {
    const chat = sessionKey(event.address)
    const taken = await chains.take(chat, { id: event.messageId, user: event.sender.user })
    if (taken !== 'yes') later('a notice', sayChainEnds(deps, event, taken.ended))
    return taken !== 'yes' || !loops.mayAnswer(chatKey(event.address), event.sender.user)
  }

  /** The row's id, or undefined for what is here already: by its ids, or by what it says. */
  const store = async (event: MessageEvent, row: NewInboxRow): Promise<number | undefined> => {
    const id = await writer.add(row, event.address)
    if (id !== undefined || row.fingerprint === undefined) return id
    if (!mayBeMeantTwice(event, deps.clock.now())) return undefined
    const { fingerprint: _same, ...unmarked } = row
    return writer.add(unmarked, event.address)
  }

  const receiveMessage = async (given: MessageEvent): Promise<Receipt> => {
    const event = withoutKeys(given)
    const botId = event.address.botId
    const sessionId = sessionKey(event.address)
    if (!event.sender.isBot) chains.personSpoke(sessionId)
    else if (event.mentionsBot && (await isTooMuch(event))) {
      deps.count('events', { type: 'message', verdict: 'bot_loop' })
      return NOTHING
    }
    const admission = admit(event, {
      access: deps.access,
      answerAll: deps.answerAll(botId),
      now: deps.clock.now(),
      staleAfterMs: deps.inbound.staleAfter,
    })
    deps.count('events', { type: 'message', verdict: admission.verdict })
    if (admission.verdict === 'ignore') return NOTHING
    const decision =
      admission.verdict === 'message' || admission.verdict === 'command'
        ? deps.decisionText(event)
        : undefined
    const kind = admission.verdict === 'message' && !decision ? 'message' : 'command'
    const row = inboxRow(deps, event, kind, sessionId)
    const id = await store(event, row)
    if (id === undefined) {
      deps.count('events', { type: 'message', verdict: 'duplicate' })
      return NOTHING
    }
    if (event !== given) later('a warning', warnOfKey(deps, event, id))
    if (kind === 'message')
      later('waking a session', wakeFor(deps, event, { id, session_id: row.sessionId, payload: row.payload }))
    else later('a command', runCommand(deps, event, id))
    return NOTHING
  }

  const receiveAction = async (event: ActionEvent): Promise<Receipt> => {
    deps.count('events', { type: 'action', verdict: 'message' })
    return deps.handleAction(event)
  }

  const receiveOther = async (event: Exclude<InboundEvent, MessageEvent>): Promise<Receipt> => {
    switch (event.type) {
      case 'action':
        return receiveAction(event)
      case 'bot_added':
      case 'bot_removed':
      case 'chat_disbanded':
      case 'chat_entered':
        // On disk before it is acknowledged, like a message: what fails is delivered again.
        await handleMembership(deps, event)
        return NOTHING
      case 'recalled':
        await handleRecall(deps, event)
        return NOTHING
      case 'reaction':
      case 'feedback':
      case 'oa_approval':
        deps.count('events', { type: event.type, verdict: 'noted' })
        later('an event', deps.onOther(event))
        return NOTHING
      default:
        event satisfies never
        return NOTHING
    }
  }

  return {
    receive: (event) => (event.type === 'message' ? receiveMessage(event) : receiveOther(event)),
    recover: async (ageMs = 0) => {
      const until = deps.clock.now() - ageMs
      for (const row of await deps.waitingCommands()) {
        if (row.received_at > until) continue
        // One that cannot be carried out must not keep the others, or the start, waiting.
        await runCommand(deps, JSON.parse(row.payload) as MessageEvent, row.id).catch((error: unknown) =>
          deps.logger.error({ inbox: row.id, error }, 'a command could not be carried out; will try again'),
        )
      }
    },
    drain: async () => {
      while (background.size > 0) await Promise.all(background)
    },
  }
}

/** Starts to fetch what the message refers to, since links may live for minutes only, and wakes a worker. */
function wakeFor(
  deps: GatewayDeps,
  event: MessageEvent,
  row: Parameters<GatewayDeps['prefetch']>[0],
): Promise<void> {
  if (event.attachments.length > 0 || event.quoted || event.bundle) deps.prefetch(row)
  return deps.queue.wake(row.session_id)
}

/** Says once that the bots' talk ends here, and what goes on. `ended` is the same for one end. */
function sayChainEnds(deps: GatewayDeps, event: MessageEvent, ended: string): Promise<void> {
  const { botId } = event.address
  return notify(deps.outbox, deps.store.db, {
    key: `b-${createHash('sha256').update(`${botId}\n${ended}`).digest('hex').slice(0, 40)}`,
    address: event.address,
    markdown: deps.text(botId)('gateway.bot_chain', { most: deps.inbound.botChain }),
  })
}

function inboxRow(
  deps: Pick<GatewayDeps, 'clock' | 'inbound'>,
  event: MessageEvent,
  kind: 'message' | 'command',
  sessionId: string,
): NewInboxRow {
  const said = deps.inbound.dropReplays ? fingerprint(event) : undefined
  return {
    dedupe: `${event.address.botId}:m:${event.messageId}`,
    sessionId,
    botId: event.address.botId,
    kind,
    state: 'waiting',
    payload: JSON.stringify(event),
    ...(said === undefined ? {} : { fingerprint: said }),
    receivedAt: deps.clock.now(),
  }
}
