/** One question to one member of a team. */

import { AppError } from '../../protocol/errors.ts'
import type { LogEntry } from '../../protocol/session-log.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import { HELPER_MS, HELPER_STEPS, hostOf } from './helper.ts'
import type { TeamExchange, TeamMember, TeamStore } from './team-store.ts'

export interface MemberAnswer {
  readonly member: TeamMember
  readonly ok: boolean
  /** The answer, or why there is none. */
  readonly text: string
  readonly foreign: boolean
}

/** Asks a member with all it was asked before; what it answers is kept for the next question. */
export async function askMember(
  teams: TeamStore,
  ctx: ToolContext,
  question: { readonly teamId: string; readonly member: TeamMember; readonly message: string },
  signal: AbortSignal,
): Promise<MemberAnswer> {
  const { teamId, member, message } = question
  const earlier = await teams.recent(teamId, member.name)
  const outcome = await hostOf(ctx).run(
    {
      role: `You are ${JSON.stringify(member.name)} of a team. ${member.role}`,
      history: earlier.flatMap((exchange) => exchangeEntries(exchange, ctx.clock.now())),
      prompt: message,
      maxSteps: HELPER_STEPS,
      maxMs: HELPER_MS,
    },
    signal,
  )
  const foreign = outcome.foreign || earlier.some((exchange) => exchange.tainted)
  if (outcome.outcome !== 'done') {
    return { member, ok: false, text: [outcome.failure, outcome.text].filter(Boolean).join('\n'), foreign }
  }
  await teams.remember(teamId, member.name, { prompt: message, answer: outcome.text, tainted: foreign })
  return { member, ok: true, text: outcome.text, foreign }
}

/** Rejects with `tool.not_found`: in the same words for another session's team and for none (T1). */
export async function membersOf(
  teams: TeamStore,
  ctx: ToolContext,
  teamId: string,
): Promise<readonly TeamMember[]> {
  const members = await teams.find(ctx.sessionId, teamId)
  if (members) return members
  throw unknownTeam(teamId)
}

export function unknownTeam(teamId: string): AppError {
  return new AppError('tool.not_found', `There is no team ${JSON.stringify(teamId.slice(0, 60))} here.`, {
    hint: 'Use the team_id that spawn_team returned in this chat, or spawn a new team.',
  })
}

function exchangeEntries({ prompt, answer }: TeamExchange, now: number): LogEntry[] {
  const message = {
    ...{ messageId: '', user: 'agent:main' as const, name: 'main agent', text: prompt, sentAt: now },
    ...{ replyTo: '', context: [], files: [], notes: [] },
  }
  return [
    { type: 'user', messages: [message] },
    { type: 'assistant', text: answer, toolCalls: [], model: '' },
  ]
}
