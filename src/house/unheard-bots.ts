/**
 * Warns once about a bot that has never received an event some time after the start. Nothing fails in that case:
 * the connection is up, and what is missing is a setting in the platform's developer console.
 */
import type { Bots } from '../bots.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { lastHeard } from '../store/repositories/inbox.ts'
import type { Store } from '../store/store.ts'

const SILENCE_MS = 3 * 60_000

export interface SilenceDeps {
  readonly store: Store
  readonly bots: Bots
  readonly clock: Clock
  readonly logger: Logger
  /** True for bots of a simulated company, which has no developer console: no warning then. */
  readonly simulated?: boolean
}

/** Starts the timer; the returned function cancels it. */
export function watchUnheardBots({ store, bots, clock, logger, simulated }: SilenceDeps): () => void {
  if (simulated) return () => {}
  return clock.after(SILENCE_MS, () => {
    Promise.all(
      bots.all().map(async ({ botId, status }) => {
        if (status().state !== 'connected' || (await lastHeard(store.db, botId)) !== undefined) return
        logger.warn({ bot: botId }, SILENT)
      }),
    ).catch((error: unknown) => logger.warn({ error }, 'whether the bots were heard could not be read'))
  })
}

const SILENT =
  'connected, but no event has ever come from this bot. Write "@bot /whoami" in a group that it is in. ' +
  'If nothing is answered, run `npm run doctor`: usually the bot is not in the group or the person is outside ' +
  'its visible range; on Feishu also: no version is published, or the events are not subscribed.'
