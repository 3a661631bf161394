import type { Clock } from '../../../src/protocol/ports.ts'
import type { Frame } from './frame.ts'
import { objectOf, parseJson, textOf } from './json.ts'

const answerMs = 3000

/** What came back for a data frame. */
export interface Acknowledgement {
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'no_connection'
  readonly status?: number
  /** Decoded `data` of the acknowledgement: what the handler returned. */
  readonly answer?: unknown
}

/** Data frames that wait for their echo, by frame id, on whichever socket it comes back. */
export interface Acknowledgements {
  /** Resolves with the echo, or with a timeout after three seconds. */
  wait(id: string): Promise<Acknowledgement>
  take(frame: Frame): void
}

/** Starts with nothing waiting; the three seconds run by `clock`. */
export function createAcknowledgements(clock: Clock): Acknowledgements {
  const waiting = new Map<string, (result: Acknowledgement) => void>()
  return {
    wait: (id) =>
      new Promise((resolve) => {
        const finish = (result: Acknowledgement): void => {
          cancel()
          waiting.delete(id)
          resolve(result)
        }
        const cancel = clock.after(answerMs, () => finish({ outcome: 'timeout' }))
        waiting.set(id, finish)
      }),
    take: (frame) => waiting.get(frame.headers['message_id'] ?? '')?.(read(frame)),
  }
}

function read(frame: Frame): Acknowledgement {
  const body = objectOf(parseJson(frame.payload.toString()))
  const status = typeof body['code'] === 'number' ? body['code'] : 0
  const data = textOf(body['data'])
  const answer = data === '' ? undefined : parseJson(Buffer.from(data, 'base64').toString())
  return { outcome: status === 200 ? 'ok' : 'failed', status, answer }
}
