import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { membersOf, unknownTeam } from './ask-member.ts'
import { teamId } from './team-id.ts'
import type { TeamStore } from './team-store.ts'

export function createTeamCloseTool(teams: TeamStore): AnyTool {
  return defineTool({
    name: 'team_close',
    description:
      'Dissolves a team and forgets what its members were asked. Do it when the question is settled; a chat may have only a few teams at a time.',
    input: z.strictObject({ team_id: teamId }),
    readOnly: false,
    risk: 'read',
    mainOnly: true,
    title: (_args, text) => text('agents.close.title'),
    run: (args, ctx) =>
      asResult(async () => {
        const members = await membersOf(teams, ctx, args.team_id)
        if (!(await teams.remove(ctx.sessionId, args.team_id))) throw unknownTeam(args.team_id)
        return { ok: true, text: `The team is closed; ${members.length} members are gone.` }
      }),
  })
}
