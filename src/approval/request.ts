/** The JSON in an approval row's `findings` column: what the card shows, and which grants may be offered. */
import { z } from 'zod'
import { showText } from '../policy/command/visible-text.ts'
import { findingSchema } from '../policy/finding.ts'
import { clipText } from '../protocol/clip-text.ts'
import type { ApprovalRow } from '../store/schema.ts'

const requestSchema = z.object({
  findings: z.array(findingSchema),
  /** Which rule asked, for the audit and the card's small print. */
  rule: z.string(),
  /** One line for people: the tool's own title. */
  title: z.string(),
  chatType: z.enum(['group', 'direct']),
  requesterName: z.string().nullable(),
  /** Others whose messages were in the run when it asked: who decides must be fit to decide for them too. */
  others: z.array(z.object({ user: z.string(), name: z.string().nullable() })).default([]),
  /** Words that "for this session" would cover; null when it is not offered. */
  grant: z.array(z.string()).nullable(),
  /** Group of tools that allowing covers for this session: the only scope there is then. */
  group: z.string().nullable().default(null),
  /** What the call acts on, as it looked when it was asked for. */
  target: z.string().nullable().default(null),
  /** Digest without the call id. */
  sameness: z.string(),
  /** It was approved before, and that approval expired before the call began. */
  again: z.boolean().default(false),
})

export type ApprovalRequest = z.output<typeof requestSchema>

const callSchema = z.object({
  tool: z.string(),
  args: z.unknown(),
  command: z.string().nullable(),
  cwd: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  timeoutMs: z.number().nullable(),
  sandboxProfile: z.string().nullable(),
  paths: z.array(z.string()),
})

export type ShownCall = z.output<typeof callSchema>

const MAX_TITLE_CHARS = 200

/** The tool's line about the call, fit for a card; the call itself is shown in full beside it. */
export function shownTitle(request: ApprovalRequest): string {
  return clipText(showText(request.title), MAX_TITLE_CHARS)
}

/** Reads the row's `findings` column. */
export function requestOf(row: ApprovalRow): ApprovalRequest {
  return requestSchema.parse(JSON.parse(row.findings))
}

/** Approved, but not begun while the approval was good: it is asked again, and people are told why. */
export function hasLapsed(row: Pick<ApprovalRow, 'status' | 'decided_by'>): boolean {
  return row.status === 'expired' && row.decided_by !== null
}

/** Reads the row's canonical call: the card is painted from what was hashed. */
export function callOf(row: ApprovalRow): ShownCall {
  return callSchema.parse(JSON.parse(row.call))
}
