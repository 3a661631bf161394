/**
 * Operations on one CardKit card. Knows sequences, the typewriter's ten minutes and which refusals are
 * worth another try; does not know what the card shows.
 */

import type { Clock } from '../../../src/protocol/ports.ts'
import { replaceCard, setStreaming, streamText } from '../api/cardkit.ts'
import type { Api } from '../api/client.ts'
import type { CallOptions } from '../api/message.ts'
import type { LivePaint } from '../card/live.ts'
import { platformCode } from '../errors.ts'

type Options = Omit<CallOptions, 'key'>

/** One CardKit card that changes. */
export interface StreamCard {
  readonly cardId: string
  /** The last sequence that was used. */
  sequence(): number
  /**
   * Shows `paint`, with one small call if only one element differs from what is shown; where that call
   * had to wait, the element is shown as `newest` has it then.
   */
  show(paint: LivePaint, options: Options, newest?: () => LivePaint): Promise<void>
  /** Shows the last state and ends the typewriter. */
  finish(paint: LivePaint, options: Options): Promise<void>
}

interface StreamCardDeps {
  readonly api: Api
  readonly clock: Pick<Clock, 'now'>
}

const SEQUENCE_CONFLICT = 300317
const STREAMING_CLOSED = new Set([300309, 200850])
/** Elements that are not there, or not text, mean that our idea of the card is out of date. */
const OUT_OF_DATE = new Set([300310, 300313])
/** Steps ahead after a conflict: another process, or an answer that was lost, has used up to here. */
const JUMPS = [50, 10_000]
/** After those it is the time of day that no process before this one has reached; twice, for one of the same second. */
const MOST_CONFLICTS = JUMPS.length + 2

/** Goes on with a card whose last known sequence is `sequence`; without `shown` nothing is known about its content. */
export function createStreamCard(
  { api, clock }: StreamCardDeps,
  cardId: string,
  sequence: number,
  shown?: LivePaint,
): StreamCard {
  const operations = createOperations({ api, clock }, cardId, sequence)
  let current = shown
  let tail: Promise<unknown> = Promise.resolve()

  const replace = (paint: LivePaint, options: Options): Promise<void> =>
    operations.run((next) => replaceCard(api, cardId, paint.card, next, options), options)

  /** One operation after the other, whoever calls: sequences must arrive in order. */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const next = tail.then(work, work)
    tail = next.catch(() => undefined)
    return next
  }

  return {
    cardId,
    sequence: operations.last,
    show: (paint, options, newest) =>
      inOrder(async () => {
        const change = current && onlyChange(current, paint)
        if (change === 'none') return
        if (change) {
          let sent = paint
          const element = {
            id: change.id,
            get content() {
              const late = newest?.()
              const only = current && late && onlyChange(current, late)
              if (!late || !only || only === 'none' || only.id !== change.id) return change.content
              sent = late
              return only.content
            },
          }
          try {
            await operations.run((next) => streamText(api, cardId, element, next, options), options)
            current = sent
            return
          } catch (error) {
            if (!OUT_OF_DATE.has(platformCode(error) ?? 0)) throw error
          }
        }
        await replace(paint, options)
        current = paint
      }),
    finish: (paint, options) =>
      inOrder(async () => {
        current = undefined
        await replace(paint, options)
        await operations.run((next) => setStreaming(api, cardId, false, next, options), options)
      }),
  }
}

/** Calls on one card, each with a sequence that no call before it had. */
interface Operations {
  /** Conflicts jump ahead, a closed stream is opened again; other refusals are the caller's. */
  run(operation: (sequence: number) => Promise<void>, options: Options): Promise<void>
  /** The last sequence that was used. */
  last(): number
}

function createOperations({ api, clock }: StreamCardDeps, cardId: string, sequence: number): Operations {
  let last = sequence
  const run: Operations['run'] = async (operation, options) => {
    let reopened = false
    for (let conflicts = 0; ; ) {
      last += 1
      try {
        return await operation(last)
      } catch (error) {
        const code = platformCode(error) ?? 0
        if (code === SEQUENCE_CONFLICT && conflicts < MOST_CONFLICTS) {
          const jump = JUMPS[conflicts]
          // Seconds fit into Feishu's 32 bits until 2038.
          last = jump === undefined ? Math.max(last + 50, Math.floor(clock.now() / 1_000)) : last + jump
          conflicts += 1
        } else if (STREAMING_CLOSED.has(code) && !reopened) {
          reopened = true
          await run((next) => setStreaming(api, cardId, true, next, options), options)
        } else throw error
      }
    }
  }
  return { run, last: () => last }
}

/** The one element that differs, `none` when nothing does, undefined when more than one call is due. */
function onlyChange(
  before: LivePaint,
  after: LivePaint,
): { readonly id: string; readonly content: string } | 'none' | undefined {
  if (before.shape !== after.shape) return undefined
  const changed = Object.entries(after.texts).filter(([id, content]) => before.texts[id] !== content)
  const [first, second] = changed
  if (!first) return 'none'
  return second ? undefined : { id: first[0], content: first[1] }
}
