import { CODE_PATTERN } from './code.ts'

export interface DecisionText {
  readonly decision: 'allow' | 'deny'
  readonly code: string
  readonly scope: 'once' | 'session'
  /** False for a sentence that only mentions a code: it counts when the code really is one. */
  readonly explicit: boolean
  readonly reason?: string
}

const REFUSALS =
  /不允许|不同意|不批准|不通过|不可以|不可|不行|不要|不能|拒绝|驳回|禁止|取消|别|\b(?:deny|denied|reject|refuse|no|not|don't|dont|never|cancel|stop)\b/i
const ALLOWS = /^(?:允许|同意|批准|通过|可以|approve|allow|accept|yes|ok)$/i
const SESSION = /^(?:本会话|整个会话|会话|session|for this session)$/i
const CODE = /(?<![A-Za-z0-9])[A-Za-z]{3}[2-9]{3}(?![A-Za-z0-9])/g
/** The same before normalising: nearly every message fails here, cheaply. */
const MAYBE_CODE = /[A-Za-zＡ-Ｚａ-ｚ]{3}[2-9２-９]{3}/
/** Longest message that can be a decision; characters. */
const MAX_CHARS = 500

/**
 * Reads "允许 ABC234", "拒绝 ABC234 原因", "approve ABC234", "deny ABC234 because …"; full-width signs
 * and blanks do not matter. A refusal word anywhere wins. An approval must say nothing else, so that a
 * question or a sentence about a code never approves. Anything else is no decision: undefined.
 */
export function parseDecisionText(message: string): DecisionText | undefined {
  if (!MAYBE_CODE.test(message)) return undefined
  const text = message
    .normalize('NFKC')
    .replace(/[\p{Cf}\s]+/gu, ' ')
    .trim()
  if (text.length > MAX_CHARS) return undefined
  const codes = [...text.matchAll(CODE)].map((match) => match[0])
  const code = codes[0]?.toUpperCase()
  if (codes.length !== 1 || code === undefined || !CODE_PATTERN.test(code)) return undefined
  const at = text.indexOf(codes[0] ?? '')
  const before = text.slice(0, at).trim()
  const after = text.slice(at + code.length).trim()
  if (REFUSALS.test(before) || REFUSALS.test(after)) return refusal(code, before, after)
  const words = `${before} ${after}`
    .replace(/[,.:;!。、「」[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const [verb = '', ...rest] = words.split(' ')
  if (!ALLOWS.test(verb)) return undefined
  const scope = rest.join(' ')
  if (scope === '') return { decision: 'allow', code, scope: 'once', explicit: true }
  return SESSION.test(scope) ? { decision: 'allow', code, scope: 'session', explicit: true } : undefined
}

/** What is left beside the first refusal word and the code is the reason. */
function refusal(code: string, before: string, after: string): DecisionText {
  const rest = before.replace(REFUSALS, ' ').trim()
  const reason = [rest, before === '' ? after.replace(REFUSALS, ' ') : after]
    .join(' ')
    .replace(/^[\s,.:;!。、]+/, '')
    .trim()
  const bare = (text: string): boolean => /^[\s:,]*$/.test(text.replace(REFUSALS, ''))
  const explicit = before === '' ? after.search(REFUSALS) === 0 : bare(before)
  return { decision: 'deny', code, scope: 'once', explicit, ...(reason === '' ? {} : { reason }) }
}
