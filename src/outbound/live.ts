/**
 * The one evolving message of a run. Updates are best effort and paced: the newest state replaces
 * what waits, one call is in flight, and a failed update loses no text, because the final goes
 * through the outbox. It knows agent events only as things to show.
 */

import type { Adapter, SendOptions } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import type { AgentEvent } from '../protocol/engine.ts'
import { isAppError } from '../protocol/errors.ts'
import type { LiveState, LiveStep, OutboundMessage } from '../protocol/outbound.ts'
import type { Clock, Logger, Translate } from '../protocol/ports.ts'
import { withTimeout } from '../protocol/timeout.ts'
import type { LiveHandle } from '../store/repositories/runs.ts'
import { createLivePicture, type LivePicture } from './live-picture.ts'
import { liveKey } from './outbox.ts'

/** What it shows may lag and may be given up; only the outbox promises a final. */
export interface Live {
  /** Applies an event to the displayed state and schedules an update. */
  show(event: AgentEvent): void
  /** The displayed state as it is now. */
  state(): LiveState
  /** Name of the tool of a call that was shown. */
  toolOf(callId: string): string
  /** Where the final must go; undefined when nothing was sent. */
  handle(): LiveHandle | undefined
  /** Stops updating; resolves when the call in flight is answered or given up. The message stays as it is. */
  settle(): Promise<void>
}

export interface LiveDeps {
  readonly runId: string
  readonly address: Address
  readonly replyTo: string | undefined
  readonly adapter: Adapter
  readonly clock: Clock
  readonly logger: Logger
  readonly text: Translate
  readonly footer: string | undefined
  /** What an interrupted worker left, or the approval card in which the run goes on. */
  readonly handle: LiveHandle | undefined
  readonly head: Card | undefined
  /** What earlier parts of the run already showed. */
  readonly steps: readonly LiveStep[]
  /** Whether this worker still owns the run: an outdated state must not overwrite a newer one of another worker. */
  readonly isOurs: () => boolean
  /** Aborts when the service stops. A call in flight gets {@link LAST_CALL_MS}; the next start goes on from the stored handle. */
  readonly leaving: AbortSignal
  /** Written before and after the first message, so that a crash finds it again. */
  readonly save: (handle: LiveHandle) => Promise<void>
}

/** A run that says nothing for this long shows that it is thinking. */
const THINKING_AFTER_MS = 1_200
/** How long a stop waits for a call in flight, milliseconds; its own timeout may be far longer. */
const LAST_CALL_MS = 3_000

/** The live message of one run on this worker. */
export function createLive(deps: LiveDeps): Live {
  const { adapter, clock, logger } = deps
  const picture = createLivePicture(deps)
  const aborter = new AbortController()
  const calls = createLiveCalls(deps, picture.state, aborter.signal)
  let shown = ''
  let lastCall = Number.NEGATIVE_INFINITY
  let inFlight: Promise<void> | undefined
  let cancelTimer: (() => void) | undefined
  let closed = false
  let settled: Promise<unknown> | undefined

  const pump = (): void => {
    if (closed || inFlight || cancelTimer) return
    if (shown === JSON.stringify(picture.state())) return
    const wait = calls.handle()?.sent || picture.hasContent() ? 0 : THINKING_AFTER_MS
    const pace = lastCall + adapter.capabilities.liveIntervalMs - clock.monotonic()
    const delay = Math.max(wait, pace)
    if (delay > 0) {
      cancelTimer = clock.after(delay, () => {
        cancelTimer = undefined
        launch()
      })
      return
    }
    launch()
  }

  const launch = (): void => {
    if (closed || inFlight || !deps.isOurs()) return
    lastCall = clock.monotonic()
    shown = JSON.stringify(picture.state())
    inFlight = calls
      .push()
      .catch((error: unknown) => {
        if (aborter.signal.aborted) return
        logger.warn({ runId: deps.runId, error }, 'the running message could not be updated')
        // What cannot succeed is not tried again; the final will find its own way.
        if (!isAppError(error) || !error.retryable) closed = true
      })
      .finally(() => {
        inFlight = undefined
        pump()
      })
  }

  return {
    show: (event) => {
      picture.apply(event)
      // Text that comes while the thinking delay runs must not wait for it.
      if (cancelTimer && picture.hasContent() && !calls.handle()?.sent) {
        cancelTimer()
        cancelTimer = undefined
      }
      pump()
    },
    state: picture.state,
    toolOf: (callId) => stepTool(picture, callId),
    handle: calls.handle,
    settle: async () => {
      closed = true
      cancelTimer?.()
      // A call that only waits for its turn is given up; one on the wire is awaited.
      aborter.abort(new Error('the run has ended'))
      if (!inFlight) return
      settled ??= withTimeout(inFlight, { ms: LAST_CALL_MS, clock, after: deps.leaving })
      await settled
    },
  }
}

/** What goes to the platform, and where the message stands after it. */
interface LiveCalls {
  /** Sends the state as a new message or over the old one; the handle is stored before and after. */
  push(): Promise<void>
  handle(): LiveHandle | undefined
}

/** @param latest the displayed state, asked again by a call that had to wait for its turn */
function createLiveCalls(deps: LiveDeps, latest: () => LiveState, signal: AbortSignal): LiveCalls {
  const { adapter } = deps
  let handle = deps.handle
  return {
    handle: () => handle,
    push: async () => {
      const message: OutboundMessage = {
        type: 'live',
        live: latest(),
        ...(deps.replyTo ? { replyTo: deps.replyTo } : {}),
      }
      const generation = handle?.generation ?? 0
      const options: SendOptions = {
        key: liveKey(deps.runId, generation),
        priority: 'low',
        signal,
        latest,
        ...(handle?.prepared ? { prepared: handle.prepared } : {}),
        onPrepared: async (prepared) => {
          handle = { ...handle, generation, prepared }
          await deps.save(handle)
        },
      }
      const before = handle?.sent
      const sent = before
        ? await adapter.update(before, deps.address, message, options)
        : await adapter.send(deps.address, message, options)
      handle = { ...handle, generation, sent }
      if (JSON.stringify(before) !== JSON.stringify(sent)) await deps.save(handle)
    },
  }
}

/** For unattended runs: collects the state for the final message and sends no updates. */
export function createQuietLive(text: Translate, footer: string | undefined): Live {
  const picture = createLivePicture({ text, footer, head: undefined, steps: [] })
  return {
    show: picture.apply,
    state: picture.state,
    toolOf: (callId) => stepTool(picture, callId),
    handle: () => undefined,
    settle: async () => {},
  }
}

function stepTool(picture: LivePicture, callId: string): string {
  return picture.state().steps.find((step) => step.callId === callId)?.tool ?? 'unknown'
}
