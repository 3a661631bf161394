/**
 * The only way in. Takes events from adapters, decides whether they are for us, makes them durable,
 * and lets the adapter acknowledge. It knows ids, rules and rows; it refuses to know models, tools
 * and platforms. Nothing here waits for any of them.
 */

import type { Receipt } from '../protocol/adapter.ts'
import type { InboundEvent, MessageEvent } from '../protocol/inbound.ts'
import { type Background, createBackground } from './background.ts'
import { runCommand } from './commands/run.ts'
import type { GatewayDeps } from './deps.ts'
import { handleMembership } from './membership.ts'
import { createMessageReceiver } from './messages.ts'
import { handleRecall } from './recall.ts'

/** Takes in what all adapters of a process receive; one for all of them. */
export interface Gateway {
  /** What `Adapter.start` is given. Resolves when the event is safe; rejects to have it delivered again. */
  receive(event: InboundEvent): Promise<Receipt>
  /** Carries out commands that were acknowledged at least `ageMs` ago and never answered, by a crash or a full disk. */
  recover(ageMs?: number): Promise<void>
  /** Waits for work that goes on after the acknowledgement. */
  drain(): Promise<void>
}

const NOTHING: Receipt = {}

/** The gateway of one process. It starts nothing by itself; adapters call `receive`. */
export function createGateway(deps: GatewayDeps): Gateway {
  const background = createBackground(deps.logger)
  const receiveMessage = createMessageReceiver(deps, background)
  return {
    receive: (event) =>
      event.type === 'message' ? receiveMessage(event) : receiveOther(deps, background, event),
    recover: (ageMs = 0) => recover(deps, ageMs),
    drain: background.drain,
  }
}

async function receiveOther(
  deps: GatewayDeps,
  { later }: Background,
  event: Exclude<InboundEvent, MessageEvent>,
): Promise<Receipt> {
  switch (event.type) {
    case 'action':
      deps.count('events', { type: 'action', verdict: 'message' })
      return deps.handleAction(event)
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

/** Carries out commands that were acknowledged and never answered. */
async function recover(deps: GatewayDeps, ageMs: number): Promise<void> {
  const until = deps.clock.now() - ageMs
  for (const row of await deps.waitingCommands()) {
    if (row.received_at > until) continue
    // One that cannot be carried out must not keep the others, or the start, waiting.
    const command = { id: row.id, receivedAt: row.received_at }
    await runCommand(deps, JSON.parse(row.payload) as MessageEvent, command).catch((error: unknown) =>
      deps.logger.error({ inbox: row.id, error }, 'a command could not be carried out; will try again'),
    )
  }
}
