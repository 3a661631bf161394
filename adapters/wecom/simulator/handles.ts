/** The req_ids of callbacks: which class of answer each allows, how long, and how often (doc 101463). */
import type { Clock, Random } from '../../../src/protocol/ports.ts'
import { refuse } from './refusal.ts'

export interface Handle {
  reqId: string
  botId: string
  /** `silent` allows no answer (feedback). */
  kind: 'message' | 'enter' | 'click' | 'silent'
  chat: string
  /** The person's message, or the clicked card. */
  messageId: string | undefined
  openedAt: number
  used: boolean
  click?: { userid: string; taskId: string | undefined; settle: (updated: boolean) => void }
}

const WINDOW_MS: Record<Handle['kind'], number> = { message: 86_400_000, enter: 5000, click: 5000, silent: 0 }

export interface Handles {
  open(handle: Omit<Handle, 'reqId' | 'openedAt' | 'used'>): Handle
  /** The handle if this bot may answer it now with this class; refuses with 846605 otherwise. */
  claim(botId: string, reqId: string, kind: Handle['kind']): Handle
}

export function createHandles(clock: Clock, random: Random): Handles {
  const handles = new Map<string, Handle>()
  return {
    open: (input) => {
      // Oldest first, so the walk ends at the first that may still be answered.
      for (const [reqId, old] of handles) {
        if (clock.monotonic() - old.openedAt <= WINDOW_MS.message) break
        handles.delete(reqId)
      }
      const handle = { ...input, reqId: `cb_${random.id(12)}`, openedAt: clock.monotonic(), used: false }
      handles.set(handle.reqId, handle)
      return handle
    },
    claim: (botId, reqId, kind) => {
      const handle = handles.get(reqId)
      if (!handle || handle.botId !== botId) throw refuse(846605, 'unknown')
      if (handle.kind !== kind) throw refuse(846605, `a ${handle.kind} callback takes another command`)
      if (handle.used && kind !== 'message') throw refuse(846605, 'already answered')
      if (clock.monotonic() - handle.openedAt > WINDOW_MS[kind]) throw refuse(846605, 'expired')
      return handle
    },
  }
}
