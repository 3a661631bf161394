/**
 * How long turns wait for servers whose tools nobody knows yet. A server is waited for once, by all turns together:
 * one that stays silent holds up whoever asks first, not every turn until it is given up.
 */
import type { Clock } from '../../protocol/ports.ts'
import { withTimeout } from '../../protocol/timeout.ts'
import { SETTLE_MS } from './limits.ts'
import type { Link } from './link.ts'

export interface Patience {
  /**
   * Resolves when the tools of these servers are known or nobody waits for them any longer.
   *
   * @param asked when the turn began to wait, by the monotonic clock: what it did since then is part of its wait
   */
  wait(links: readonly Link[], asked: number): Promise<void>
}

export function createPatience(clock: Clock): Patience {
  const deadlines = new WeakMap<Link, number>()
  const known = async (link: Link, latest: number): Promise<void> => {
    const deadline = deadlines.get(link) ?? latest
    deadlines.set(link, deadline)
    const ms = deadline - clock.monotonic()
    if (ms > 0) await withTimeout(link.known(), { ms, clock })
  }
  return {
    wait: async (links, asked) => {
      const latest = asked + SETTLE_MS
      // A turn that has waited long enough already has not waited for these.
      if (clock.monotonic() >= latest) return
      // Servers whose tools are known already are waited for by their calls, not by a turn.
      const unknown = links.filter(
        (link) => link.state === 'connecting' && link.agreement.agreed.length === 0,
      )
      await Promise.all(unknown.map((link) => known(link, latest)))
    },
  }
}
