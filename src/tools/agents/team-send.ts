import { z } from 'zod'
import { type AnyTool, defineTool, toolError } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { askMember, membersOf } from './ask-member.ts'
import { teamId } from './team-id.ts'
import type { TeamStore } from './team-store.ts'

export function createTeamSendTool(teams: TeamStore): AnyTool {
  return defineTool({
    name: 'team_send',
    description:
      'Puts a question to one member of a team, who remembers what it was asked before. To ask all at once use team_broadcast.',
    input: z.strictObject({
      team_id: teamId,
      member_name: z
        .string()
        .min(1)
        .max(40)
        .describe('Name of the member as given to spawn_team.')
        .meta({ examples: ['审校员'] }),
      message: z
        .string()
        .trim()
        .min(1)
        .max(8_000)
        .describe('The question, complete: members do not see this conversation.')
        .meta({ examples: ['第二节的数字和附件一致吗？'] }),
    }),
    readOnly: false,
    risk: 'read',
    mainOnly: true,
    title: (args, text) =>
      text('agents.send.title', { name: args.member_name, message: oneLine(args.message) }),
    run: (args, ctx, signal) =>
      asResult(async () => {
        const members = await membersOf(teams, ctx, args.team_id)
        const member = members.find((one) => one.name === args.member_name)
        if (!member) {
          const names = members.map((one) => one.name).join(', ')
          return toolError(
            'not_found',
            `The team has no member ${JSON.stringify(args.member_name)}.`,
            `Members: ${names}.`,
          )
        }
        const answer = await askMember(
          teams,
          ctx,
          { teamId: args.team_id, member, message: args.message },
          signal,
        )
        if (!answer.ok) {
          return toolError(
            'failed',
            `${member.name} did not answer: ${answer.text}`,
            'Ask again with less at once.',
          )
        }
        return {
          ok: true,
          text: `### ${member.name}\n${answer.text}`,
          ...(answer.foreign ? { foreign: true } : {}),
        }
      }),
  })
}
