/** Acknowledgements we wait for: one request at a time per req_id, each with its own time limit. */
import type { Clock } from '../../src/protocol/ports.ts'
import { outcomeUnknown, wecomError } from './errors.ts'
import type { AckFrame } from './frame.ts'

interface Waiting {
  readonly cmd: string
  readonly settle: (ack: AckFrame) => void
  readonly fail: (error: Error) => void
}

export interface PendingRequests {
  /**
   * Waits for this req_id's turn, calls `write`, and resolves with the acknowledgement's body. A second
   * frame with the same req_id waits, because acknowledgements carry nothing else to tell them apart.
   */
  send(cmd: string, reqId: string, timeoutMs: number, write: () => void): Promise<unknown>
  /** Hands in an acknowledgement; false when nobody waits for it. */
  settle(ack: AckFrame): boolean
  /** The socket is gone: whatever was written has an unknown outcome. */
  lose(): void
}

export function createPendingRequests(clock: Clock): PendingRequests {
  const waiting = new Map<string, Waiting>()
  const turns = new Map<string, Promise<unknown>>()

  const exchange = (cmd: string, reqId: string, timeoutMs: number, write: () => void): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(timeoutMs, () => end(() => reject(outcomeUnknown(cmd))))
      const end = (then: () => void): void => {
        cancel()
        waiting.delete(reqId)
        then()
      }
      waiting.set(reqId, {
        cmd,
        settle: (ack) =>
          end(() => {
            if (ack.errcode === 0) resolve(ack.body)
            else
              reject(
                ack.errcode === undefined ? outcomeUnknown(cmd) : wecomError(ack.errcode, ack.errmsg, cmd),
              )
          }),
        fail: (error) => end(() => reject(error)),
      })
      try {
        write()
      } catch (error) {
        end(() => reject(error))
      }
    })

  return {
    send: (cmd, reqId, timeoutMs, write) => {
      const before = turns.get(reqId) ?? Promise.resolve()
      const turn = before.then(() => exchange(cmd, reqId, timeoutMs, write))
      // The chain only orders; each caller sees the outcome of its own turn.
      const quiet = turn.then(
        () => undefined,
        () => undefined,
      )
      turns.set(reqId, quiet)
      void quiet.then(() => turns.get(reqId) === quiet && turns.delete(reqId))
      return turn
    },
    settle: (ack) => {
      const entry = waiting.get(ack.reqId)
      entry?.settle(ack)
      return entry !== undefined
    },
    lose: () => {
      for (const entry of [...waiting.values()]) entry.fail(outcomeUnknown(entry.cmd))
    },
  }
}
