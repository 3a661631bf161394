import { z } from 'zod'
import { type AnyTool, defineTool, toolError } from '../../protocol/tool.ts'
import type { TeamStore } from './team-store.ts'

const MOST_MEMBERS = 8

const member = z.strictObject({
  name: z.string().trim().min(1).max(40).describe('Short name, unique in the team.'),
  role: z.string().trim().min(1).max(1_000).describe('What the member is good at and should look for.'),
})

export function createSpawnTeamTool(teams: TeamStore): AnyTool {
  return defineTool({
    name: 'spawn_team',
    description: `Forms a team of up to ${MOST_MEMBERS} helpers with read-only tools that keep what they were asked in this chat; returns a team_id. Ask them with team_broadcast or team_send, end with team_close. For one question to one helper use dispatch_agent.`,
    input: z.strictObject({
      members: z
        .array(member)
        .min(1)
        .max(MOST_MEMBERS)
        .describe(`1 to ${MOST_MEMBERS} members; each question to all costs as many answers.`)
        .meta({ examples: [[{ name: '调查员', role: '查找事实' }]] }),
    }),
    readOnly: false,
    risk: 'read',
    mainOnly: true,
    title: (args, text) =>
      text('agents.spawn.title', { names: args.members.map((one) => one.name).join('、') }),
    run: async (args, ctx) => {
      const names = args.members.map((one) => one.name)
      const twice = names.find((name, i) => names.indexOf(name) !== i)
      if (twice !== undefined) {
        return toolError(
          'invalid_argument',
          `Two members are named ${JSON.stringify(twice)}.`,
          'Give each member a name of its own.',
        )
      }
      const teamId = await teams.create(ctx.sessionId, args.members)
      if (teamId === undefined) {
        return toolError('limit', 'This chat has its most teams already.', 'Close one with team_close first.')
      }
      return { ok: true, text: JSON.stringify({ team_id: teamId, members: names }) }
    },
  })
}
