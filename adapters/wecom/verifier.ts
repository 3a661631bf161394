/**
 * Decides whether a callback really comes from WeCom. Pure: the query, the encrypted text and the time
 * go in; the decrypted message comes out or the request is refused. Nothing is parsed before this.
 */
import { AppError, isAppError } from '../../src/protocol/errors.ts'
import type { CallbackSecrets, PreviousSecrets } from './config.ts'
import { aesKey, decryptMessage, sameSignature, sign } from './crypto.ts'

interface CallbackKeys extends CallbackSecrets {
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

/**
 * {@link openCallback} with the secrets of now or those that are being rotated out (W16). Returns which ones it
 * was: an answer goes back with the same.
 */
export function openRotating(
  keys: CallbackKeys & { readonly previous?: PreviousSecrets | undefined },
  query: URLSearchParams,
  encrypt: string,
  now: number,
): { readonly message: string; readonly secrets: CallbackSecrets } {
  const { previous, receiveId } = keys
  try {
    return { message: openCallback(keys, query, encrypt, now), secrets: keys }
  } catch (error) {
    const isOver = previous === undefined || now >= (previous.until ?? Number.POSITIVE_INFINITY)
    if (isOver || !isAppError(error) || error.code !== 'wecom.callback_refused') throw error
    return { message: openCallback({ ...previous, receiveId }, query, encrypt, now), secrets: previous }
  }
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
