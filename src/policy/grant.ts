/**
 * "For this session": the permission to run one exact command again, or to use a group of tools, without
 * asking. It holds for the people whom the card named, in the same session (a command's in the same folder),
 * for a limited time. A run that somebody else's message has joined is not theirs alone: it is judged for
 * each of its people, so a grant is never inherited.
 */
import { z } from 'zod'
import type { UserKey } from '../protocol/address.ts'
import type { BoundCall } from '../protocol/tool.ts'
import { sameUser } from './access.ts'
import type { CommandAnalysis } from './command/analysis.ts'

const holder = {
  requester: z.string(),
  /** People whose messages were in the run as well when it was given. */
  others: z.array(z.string()).optional(),
  approvalId: z.string(),
  expiresAt: z.number(),
}

const commandGrant = z.object({
  /** Exact words of the inner program, wrappers taken off. */
  argv: z.array(z.string()).min(1),
  cwd: z.string(),
  /** As the card showed them: the tool, and what the sandbox let it reach. Absent in grants of older versions. */
  tool: z.string().optional(),
  profile: z.string().nullable().optional(),
  ...holder,
})

const groupGrant = z.object({ group: z.string().min(1), ...holder })

const grantSchema = z.union([commandGrant, groupGrant])

export type Grant = z.output<typeof grantSchema>

/** How long a grant lasts, milliseconds; the session ends it earlier. */
export const GRANT_MS = 12 * 3_600_000

/** Reads `sessions.grants`. What cannot be read grants nothing. */
export function parseGrants(json: string): Grant[] {
  try {
    const parsed = z.array(grantSchema).safeParse(JSON.parse(json))
    return parsed.success ? parsed.data : []
  } catch {
    return []
  }
}

/** The words a grant would cover, or undefined when none is legal for this command. */
export function grantableArgv(analysis: CommandAnalysis | undefined): readonly string[] | undefined {
  return analysis?.verdict === 'simple' && analysis.grantable ? analysis.argv : undefined
}

/** The grant that covers a command now, if any. */
export function matchingGrant(
  grants: readonly Grant[],
  call: {
    readonly analysis: CommandAnalysis
    readonly bound: Pick<BoundCall, 'tool' | 'cwd' | 'env' | 'sandboxProfile'>
    readonly requester: UserKey
    readonly now: number
  },
): Grant | undefined {
  const argv = grantableArgv(call.analysis)
  // A variable may change what the same words do.
  if (!argv || Object.keys(call.bound.env ?? {}).length > 0) return undefined
  return grants.find(
    (grant) =>
      'argv' in grant &&
      grant.expiresAt > call.now &&
      grant.cwd === call.bound.cwd &&
      (grant.tool === undefined || grant.tool === call.bound.tool) &&
      (grant.profile === undefined || grant.profile === (call.bound.sandboxProfile ?? null)) &&
      isHeldBy(grant, call.requester) &&
      grant.argv.length === argv.length &&
      grant.argv.every((word, i) => word === argv[i]),
  )
}

/** The grant that covers a group of tools now, if any. */
export function matchingGroup(
  grants: readonly Grant[],
  group: string,
  call: { readonly requester: UserKey; readonly now: number },
): Grant | undefined {
  return grants.find(
    (grant) =>
      'group' in grant &&
      grant.group === group &&
      grant.expiresAt > call.now &&
      isHeldBy(grant, call.requester),
  )
}

function isHeldBy({ requester, others = [] }: Grant, user: UserKey): boolean {
  return [requester, ...others].some((holder) => sameUser(holder, user))
}
