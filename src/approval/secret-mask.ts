/** Hides the values of secrets in text that people see. Command, path and host stay readable. */

/** Each pattern captures what stays in front and the secret itself. */
const PATTERNS: readonly RegExp[] = [
  /(\bauthorization:\s*(?:bearer|basic|token)\s+)([^\s'"]{6,})/gi,
  /(\bbearer\s+)([A-Za-z0-9._~+/=-]{16,})/gi,
  /(\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)([^\s'"&;|]{4,})/gi,
  /(--(?:password|passwd|token|secret|api-key)[= ]["']?)([^\s'"]{4,})/gi,
  /(:\/\/[^\s/:@]+:)([^\s/@]{3,})(?=@)/g,
  /(\b)((?:sk|rk|pk)-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,})/g,
  /(\b)(AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)/g,
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)([\s\S]{1,20000}?)(?=-----END)/g,
]

/** Replaces secret values by dots and their length; `masked` counts them, so that a card can say so. */
export function maskSecrets(text: string): { readonly text: string; readonly masked: number } {
  let masked = 0
  const result = PATTERNS.reduce(
    (current, pattern) =>
      current.replace(pattern, (_whole, front: string, secret: string) => {
        // A variable is not a secret, and a value that was masked before is not masked again.
        if (secret.startsWith('$') || secret.includes('•')) return front + secret
        masked++
        return `${front}••••(${secret.length})`
      }),
    text,
  )
  return { text: result, masked }
}
