/** Callbacks of the long connection: messages in order per chat, events at once, clicks within 5 s. */
import type { Receipt, Receive } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import type { ActionEvent } from '../../src/protocol/inbound.ts'
import type { Clock, Logger, Translate } from '../../src/protocol/ports.ts'
import { type Arrival, cardUpdate, handIn, type Intake } from './intake.ts'
import { cardMarkdown } from './markdown.ts'
import type { CallbackFrame, WecomTransport } from './transport.ts'

/** Words in the chat do not wait longer for a name. */
const NAME_MS = 3_000

interface SocketIntakeDeps {
  readonly intake: Intake
  readonly clock: Clock
  readonly logger: Logger
  readonly text: Translate
  readonly request: WecomTransport['request']
  /** Says something in a chat, beside any answer. */
  readonly say: (to: Address, markdown: string) => Promise<unknown>
  /** Name of a person by the corp's directory; undefined when it tells none. Never rejects. */
  readonly nameOf?: ((userId: string, signal: AbortSignal) => Promise<string | undefined>) | undefined
}

interface SocketIntake {
  accept(frame: CallbackFrame): void
  /** From now on events go to `receive`. */
  open(receive: Receive): void
  /** Resolves when everything accepted has been handed in and answered. */
  drain(): Promise<void>
}

export function createSocketIntake(deps: SocketIntakeDeps): SocketIntake {
  const { clock, logger } = deps
  const chains = new Map<string, Promise<void>>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  let receive: Receive | undefined

  const deliver = async (arrival: Arrival, reqId: string): Promise<void> => {
    if (receive === undefined) return
    try {
      const receipt = await handIn(receive, arrival.event, clock, stopping.signal)
      if (arrival.event.type === 'action') await answerClick(deps, arrival.event, receipt, reqId)
    } catch (error) {
      logger.error(
        { msgid: arrival.payload.msgid, error: String(error) },
        'wecom: an event could not be stored',
      )
    }
  }

  const track = (work: Promise<void>): void => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  return {
    open: (to) => {
      receive = to
    },
    accept: (frame) => {
      const arrival = deps.intake.read(frame.body, frame.reqId)
      if (arrival === undefined) return
      const { event } = arrival
      if (event.type !== 'message') return track(deliver(arrival, frame.reqId))
      const chat = event.address.chatId
      const work = (chains.get(chat) ?? Promise.resolve()).then(() => deliver(arrival, frame.reqId))
      chains.set(chat, work)
      track(work.then(() => void (chains.get(chat) === work && chains.delete(chat))))
    },
    drain: async () => {
      await Promise.all(running)
      stopping.abort()
    },
  }
}

/**
 * The only moment at which this card can change (doc 101031). When it has passed, the outcome is said
 * in the chat; the decision itself was stored before and stays.
 */
async function answerClick(
  deps: SocketIntakeDeps,
  event: ActionEvent,
  receipt: Receipt,
  reqId: string,
): Promise<void> {
  const { card, toast } = receipt
  try {
    if (card) await deps.request('aibot_respond_update_msg', cardUpdate(card, event), { reqId })
    else if (toast) await deps.say(event.address, await said(deps, event, toast))
  } catch (error) {
    deps.logger.warn({ error: String(error) }, 'wecom: a click could not be answered in its card')
    if (card) await deps.say(event.address, cardMarkdown({ ...card, buttons: [] }))
  }
}

/** In a group it must be clear whom it is for; an id tells nobody. */
async function said(
  { text, nameOf }: SocketIntakeDeps,
  event: ActionEvent,
  toast: NonNullable<Receipt['toast']>,
): Promise<string> {
  if (event.address.chatType === 'direct') return toast.text
  const { operator } = event
  // Whoever clicks may never have written a word: then only the directory knows the name.
  const id = operator.isExternal ? '' : operator.user.replace(/^wecom:/, '')
  const user = toast.to ?? operator.name ?? (await nameOf?.(id, AbortSignal.timeout(NAME_MS)))
  return user === undefined
    ? text('wecom.toast_nameless', { text: toast.text })
    : text('wecom.toast', { user, text: toast.text })
}
