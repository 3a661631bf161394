/** What the policy noticed about a call. Codes are stable; people read the localised sentence. */
import { z } from 'zod'
import { clipText } from '../protocol/clip-text.ts'
import type { Translate } from '../protocol/ports.ts'

/** Also the shape in which an approval keeps it. */
export const findingSchema = z.object({
  /** Key `finding.<code>` of the locale. */
  code: z.string(),
  /** `danger` is painted red; `info` only says why a person is asked at all. */
  severity: z.enum(['info', 'warning', 'danger']),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** Made by {@link finding}, which clips long parameters. */
export type Finding = z.output<typeof findingSchema>
export type Severity = Finding['severity']

const WEIGHT: Readonly<Record<Severity, number>> = { danger: 2, warning: 1, info: 0 }

/** Longest word of a command that a sentence repeats; the card shows the command itself as a whole. */
const MAX_PARAM_CHARS = 120

/** A finding; long parameters are clipped. */
export function finding(code: string, severity: Severity, params: Finding['params'] = {}): Finding {
  const short = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? clipText(value, MAX_PARAM_CHARS) : value,
  ])
  return { code, severity, params: Object.fromEntries(short) }
}

/** One plain sentence that says why the call is risky. */
export function describeFinding(found: Finding, text: Translate): string {
  return text(`finding.${found.code}`, found.params)
}

/** Worst first, each code once with its first parameters. */
export function rankFindings(found: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>()
  for (const one of found) {
    const known = first.get(one.code)
    if (!known || WEIGHT[one.severity] > WEIGHT[known.severity]) first.set(one.code, one)
  }
  return [...first.values()].sort((a, b) => WEIGHT[b.severity] - WEIGHT[a.severity])
}
