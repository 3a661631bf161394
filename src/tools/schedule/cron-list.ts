import { z } from 'zod'
import { defineTool } from '../../protocol/tool.ts'
import { asking, type ScheduleTools } from './asking.ts'

const input = z.strictObject({
  id: z
    .string()
    .optional()
    .describe('Id of one schedule: shows what happened in its last runs instead of the list.')
    .meta({ examples: ['k3f9x2q'] }),
})

/** Lists schedules, or tells the history of one. */
export function createCronListTool({ desk, asker }: ScheduleTools) {
  return defineTool({
    name: 'cron_list',
    description:
      'Lists the schedules of this chat and of the person who asks (all of them for administrators): id, when, destination, content, next times, whether paused and why. With an id it returns the last runs: outcome, start and end, size, cost, message ids. To change something use cron_manage.',
    input,
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('tools.cron_list.title'),
    run: (args, ctx) =>
      asking(ctx, async () => {
        const who = await asker(ctx)
        if (args.id !== undefined) return desk.history(args.id, who)
        const lines = await desk.list(who)
        if (lines.length === 0) return ctx.text('schedule.list_none')
        return lines
          .map(
            (one) =>
              `${one.id} ${one.name} [${one.state}]\n${one.lines.map((line) => `  ${line}`).join('\n')}`,
          )
          .join('\n')
      }),
  })
}
