/** Takes secrets out of text before anybody sees it. Works on values it was told and on shapes it knows. */
import { TOKEN_SHAPES } from '../protocol/key-shapes.ts'

const MARK = '[redacted]'
/** Shorter values are not redacted: they could be ordinary words. Characters. */
const SHORTEST_SECRET = 6

/** Shapes of credentials, for values nobody told us about. The captured prefix is kept. */
const SHAPES: readonly RegExp[] = [
  ...TOKEN_SHAPES.map(({ source }) => new RegExp(source, 'g')),
  // Feishu's tenant and user access tokens.
  /\b[tu]-[A-Za-z0-9_-]{24,}/g,
  // A private key that was cut off is redacted up to the end of the surrounding JSON string.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|(?:\\[^"]|[^"\\])*)/g,
]
/** Stops before an escaped quote: what is a line of JSON before must be one afterwards. */
const NAMED =
  /((?:access_token|tenant_access_token|app_secret|corpsecret|apikey|api_key|password|passwd|authorization|secret|response_code|ticket|access_key|webhook\/send\?key)["']?\s*[=:]\s*["']?(?:Bearer\s+)?)((?:\\[^"'\s]|[^\s"'&,;}\\]){4,})/gi
const BEARER = /(\bBearer\s+)([A-Za-z0-9._~+/=-]{8,})/gi

export type Redact = (text: string) => string

/** Builds a redactor that knows these values, plain, base64, hex, URL-encoded and JSON-escaped, and common shapes. */
export function createRedactor(secrets: readonly string[]): Redact {
  const known = createKnownRedactor(secrets)
  return (text) => {
    let clean = known(text)
    for (const shape of SHAPES) clean = clean.replace(shape, MARK)
    return clean.replace(NAMED, `$1${MARK}`).replace(BEARER, `$1${MARK}`)
  }
}

/**
 * Knows only the values, in the same spellings. For results of tools: there a line such as
 * `password: string` is somebody's work and must come through as it is.
 */
export function createKnownRedactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(spellings))]
  if (forms.length === 0) return (text) => text
  const longestFirst = forms.sort((a, b) => b.length - a.length).map(escapePattern)
  const known = new RegExp(longestFirst.join('|'), 'g')
  return (text) => text.replace(known, MARK)
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
