/**
 * Decides whether a callback really comes from WeCom. Pure: the query, the encrypted text and the time
 * go in; the decrypted message comes out or the request is refused. Nothing is parsed before this.
 */
import { AppError } from '../../src/protocol/errors.ts'
import { aesKey, decryptMessage, sameSignature, sign } from './crypto.ts'

interface CallbackKeys {
  readonly token: string
  readonly encodingAesKey: string
  /** `corpId` for a self-built app, the empty string for an internal AI bot. */
  readonly receiveId: string
}

/** How far a callback's timestamp may lie from our clock, either way, seconds. */
const FRESH_SECONDS = 300

/**
 * Returns the decrypted message. Throws `wecom.callback_refused` (answer 401: signature, freshness,
 * ciphertext, all alike) or `wecom.callback_foreign` (answer 403: another receiver).
 * @param now wall time, milliseconds
 */
export function openCallback(
  keys: CallbackKeys,
  query: URLSearchParams,
  encrypt: string,
  now: number,
): string {
  const given = single(query, 'msg_signature')
  const timestamp = single(query, 'timestamp')
  const nonce = single(query, 'nonce')
  if (!/^\d{1,10}$/.test(timestamp)) throw refused('timestamp is not in seconds')
  if (Math.abs(Number(timestamp) * 1_000 - now) > FRESH_SECONDS * 1_000)
    throw refused('timestamp is not fresh')
  if (!sameSignature(sign(keys.token, timestamp, nonce, encrypt), given)) throw refused('signature differs')
  const opened = open(keys.encodingAesKey, encrypt)
  if (opened.receiveId !== keys.receiveId) {
    throw new AppError('wecom.callback_foreign', 'a signed callback for another receiver')
  }
  return opened.message
}

function open(encodingAesKey: string, encrypt: string): { message: string; receiveId: string } {
  try {
    return decryptMessage(aesKey(encodingAesKey), encrypt)
  } catch (cause) {
    // The same refusal as a bad signature, so that nobody can use us as a padding oracle.
    throw refused('ciphertext differs', cause)
  }
}

function single(query: URLSearchParams, name: string): string {
  const [value, ...more] = query.getAll(name)
  if (value === undefined || more.length > 0) throw refused(`${name} is missing or doubled`)
  return value
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError('wecom.callback_refused', `callback refused: ${reason}`, { cause })
}
