/** Takes messages in: decides whether they are for us, makes them durable, and lets them be acknowledged. */
import type { Receipt } from '../protocol/adapter.ts'
import { sessionKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { NewInboxRow } from '../store/repositories/inbox.ts'
import { admit } from './admission.ts'
import type { Background } from './background.ts'
import { createBotGuard } from './bot-guard.ts'
import { runCommand } from './commands/run.ts'
import type { GatewayDeps } from './deps.ts'
import { fingerprint, mayBeMeantTwice } from './fingerprint.ts'
import { createInboxWriter } from './inbox-writer.ts'
import { dedupeKey, idKey } from './message-key.ts'
import { warnOfKey, withoutKeys } from './pasted-secret.ts'

const NOTHING: Receipt = {}

/** Resolves when the message is on disk, or is nothing for us; rejects to have it delivered again. */
export function createMessageReceiver(
  deps: GatewayDeps,
  background: Background,
): (given: MessageEvent) => Promise<Receipt> {
  const writer = createInboxWriter(deps.store, deps.clock)
  const bots = createBotGuard(deps, background)
  const { later } = background

  /** The row's id, or undefined for what is here already, by its ids or by what it says, or was taken back. */
  const write = async (event: MessageEvent, row: NewInboxRow): Promise<number | undefined> => {
    const key = idKey(row.botId, event.messageId)
    const id = await writer.add(row, event.address, key)
    if (id !== undefined || row.fingerprint === undefined) return id
    if (!mayBeMeantTwice(event, deps.clock.now())) return undefined
    const { fingerprint: _same, ...unmarked } = row
    return writer.add(unmarked, event.address, key)
  }

  return async (given) => {
    const event = withoutKeys(given)
    const botId = event.address.botId
    const sessionId = sessionKey(event.address)
    if (!event.sender.isBot) bots.personSpoke(sessionId)
    else if (event.mentionsBot && (await bots.isTooMuch(event))) {
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
    const id = await write(event, row)
    if (id === undefined) {
      deps.count('events', { type: 'message', verdict: 'duplicate' })
      return NOTHING
    }
    if (event !== given) later('a warning', warnOfKey(deps, event, id))
    if (kind === 'message')
      later('waking a session', wakeFor(deps, event, { id, session_id: row.sessionId, payload: row.payload }))
    else later('a command', runCommand(deps, event, { id, receivedAt: row.receivedAt }))
    return NOTHING
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

function inboxRow(
  deps: Pick<GatewayDeps, 'clock' | 'inbound'>,
  event: MessageEvent,
  kind: 'message' | 'command',
  sessionId: string,
): NewInboxRow {
  const said = deps.inbound.dropReplays ? fingerprint(event) : undefined
  return {
    dedupe: dedupeKey(event),
    sessionId,
    botId: event.address.botId,
    kind,
    state: 'waiting',
    payload: JSON.stringify(event),
    ...(said === undefined ? {} : { fingerprint: said }),
    receivedAt: deps.clock.now(),
  }
}
