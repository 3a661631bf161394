import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool } from '../../protocol/tool.ts'
import { asking, type ScheduleTools } from './asking.ts'

const input = z.strictObject({
  action: z
    .enum(['create', 'update', 'delete', 'pause', 'resume', 'run', 'preview'])
    .describe(
      'create, update and delete send a card that a person must confirm; pause, resume, run (once, now) and preview (result only in this chat) happen at once.',
    ),
  id: z
    .string()
    .optional()
    .describe('Id of the schedule, from cron_list; needed for everything but create.')
    .meta({ examples: ['s-k7mq2'] }),
  name: z
    .string()
    .optional()
    .describe('Short title in the language of the chat.')
    .meta({ examples: ['销售日报'] }),
  cron: z
    .string()
    .optional()
    .describe('Five fields: minute hour day month weekday. Names such as MON-FRI and L, # are understood.')
    .meta({ examples: ['0 9 * * 1-5'] }),
  at: z
    .string()
    .optional()
    .describe('Local time of a one-off, instead of cron.')
    .meta({ examples: ['2026-12-24T09:00'] }),
  timezone: z
    .string()
    .optional()
    .describe('IANA name; the default of the service if absent.')
    .meta({
      examples: ['Asia/Shanghai'],
    }),
  calendar: z
    .enum(['all', 'workdays'])
    .optional()
    .describe('workdays: only Chinese working days; 1-5 as weekday then also means worked weekends.'),
  prompt: z
    .string()
    .optional()
    .describe('What to do each time, complete and without the time: nobody can be asked when it runs.')
    .meta({ examples: ['统计昨天的销售额，和前天比较，发到本群'] }),
  report: z
    .string()
    .optional()
    .describe('Name of a report, instead of a prompt.')
    .meta({ examples: ['usage'] }),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Parameters of the report.')
    .meta({ examples: [{ period: 'this_month' }] }),
  to: z
    .strictObject({
      bot: z.string().describe('Id of the bot.'),
      chat: z.string().describe('Id of the chat, or robot:<name> for a group robot of WeCom.'),
    })
    .optional()
    .describe('Destination; this chat if absent. Only administrators may name another one.')
    .meta({ examples: [{ bot: 'ops', chat: 'oc_0123456789abcdef' }] }),
  missed: z
    .enum(['skip', 'once', 'all'])
    .optional()
    .describe('Runs missed while the service was down: skip, make up for the latest, or for up to three.'),
  overlap: z
    .enum(['forbid', 'queue', 'replace'])
    .optional()
    .describe('When the run before goes on: skip this one, let one wait, or stop the one before.'),
  approvals: z
    .enum(['skip', 'wait'])
    .optional()
    .describe('Steps that need an approval: skip them with a note, or ask in working hours.'),
  hours: z
    .string()
    .optional()
    .describe('Working hours for approvals: wait.')
    .meta({ examples: ['09:00-18:00'] }),
  jitter: z
    .string()
    .optional()
    .describe('Spreads many jobs of one minute.')
    .meta({ examples: ['30s'] }),
})

/** Proposes, pauses, resumes, runs and previews schedules. Saving takes a person's click. */
export function createCronManageTool({ desk, asker }: ScheduleTools) {
  return defineTool({
    name: 'cron_manage',
    description:
      'Creates and changes schedules: something that is done at given times and whose result is sent to a chat. Nothing is saved by create, update or delete until a person confirms the card that is sent to this chat; say so. To see schedules use cron_list. For something that is to happen now, just do it.',
    input,
    readOnly: false,
    risk: 'write',
    title: (args, text) =>
      text('tools.cron_manage.title', { action: args.action, what: args.name ?? args.id ?? args.cron ?? '' }),
    run: (args, ctx) =>
      asking(ctx, async () => {
        const who = await asker(ctx)
        const once = `${ctx.sessionId}\n${ctx.callId}`
        const { action, id, ...fields } = args
        if (action === 'create') return desk.propose({ action, fields }, who, once)
        if (id === undefined) throw missingId(action)
        if (action === 'update') return desk.propose({ action, id, fields }, who, once)
        if (action === 'delete') return desk.propose({ action, id }, who, once)
        return desk.act(action, id, who, once)
      }),
  })
}

function missingId(action: string): AppError {
  return new AppError('schedule.not_found', `${action} needs the id of a schedule`, {
    hint: 'cron_list shows the ids.',
    params: { id: '' },
  })
}
