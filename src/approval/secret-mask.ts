/**
 * Hides the values of secrets in text that people see. Command, path and host stay readable, and so does
 * everything that a shell would act on: a mask must never cover a part of what runs.
 */
import { TOKEN_SHAPES } from '../protocol/key-shapes.ts'

/** Each pattern captures what stays in front and the secret itself. */
const PATTERNS: readonly RegExp[] = [
  /(\bauthorization["']?\s*[:：]\s*["']?(?:bearer|basic|token)\s+)([^\s'"]{6,})/gi,
  /(\bbearer\s+)([A-Za-z0-9._~+/=-]{16,})/gi,
  // Also as the end of a longer name, such as DB_PASSWORD; with the colon of either alphabet, as arguments are told.
  /((?<![a-z])(?:password|passwd|secret|token|(?:api|access|secret)[_-]?key)["']?\s*[=:：]\s*["']?)([^\s'"&;|]{4,})/gi,
  /((?:密码|口令|密钥|令牌)\s*[=:：]\s*)([^\s'"&;|]{4,})/g,
  /(--(?:password|passwd|token|secret|api-key)[= ]["']?)([^\s'"]{4,})/gi,
  /(:\/\/[^\s/:@]+:)([^\s/@]{3,})(?=@)/g,
  ...TOKEN_SHAPES.map(({ source }) => new RegExp(`()(${source})`, 'g')),
]

const PRIVATE_KEY = /(?<=-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]{1,20000}?(?=-----END)/g
const KEY_LINE = /[A-Za-z0-9+/]{40,}={0,2}/g
/** Characters of a word that no shell acts on. */
const INERT = /^[\w.~+/=:@%^,!?*#-]*/
const LEAST = 3

/** Replaces secret values by dots and their length; `masked` counts them, so that a card can say so. */
export function maskSecrets(text: string): { readonly text: string; readonly masked: number } {
  let masked = 0
  const hide = (secret: string): string => {
    masked++
    return `••••(${secret.length})`
  }
  const result = PATTERNS.reduce(
    (current, pattern) =>
      current.replace(pattern, (whole, front: string, secret: string) => {
        // A variable is not a secret, and a value that was masked before is not masked again.
        const value = INERT.exec(secret)?.[0] ?? ''
        if (value.length < LEAST || secret.includes('•')) return whole
        return front + hide(value) + secret.slice(value.length)
      }),
    text.replace(PRIVATE_KEY, (key) => key.replace(KEY_LINE, hide)),
  )
  return { text: result, masked }
}
