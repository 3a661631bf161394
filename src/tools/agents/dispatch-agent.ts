import { z } from 'zod'
import { defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { HELPER_MS, HELPER_STEPS, hostOf, outcomeResult } from './helper.ts'
import { scopedHistory } from './scope.ts'

export const dispatchAgentTool = defineTool({
  name: 'dispatch_agent',
  description: `Sends a helper with a context of its own to look something up: it reads files and pages, changes nothing, answers once. Use it for broad searches whose details you do not need; several in one reply work in parallel. At most ${HELPER_STEPS} steps and ${HELPER_MS / 60_000} minutes; its tokens count as yours. For helpers that discuss over several rounds use spawn_team.`,
  input: z.strictObject({
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(8_000)
      .describe('The whole task and what the answer must hold; the helper cannot ask back.')
      .meta({ examples: ['找出 src/ 里所有读取环境变量的地方，列出文件和行号'] }),
    scope: z
      .strictObject({
        mode: z
          .enum(['none', 'last_n_turns', 'summary_only', 'full_history'])
          .default('none')
          .describe('What it sees of this conversation; more costs more tokens. Default none.'),
        n: z.int().min(1).max(10).default(3).describe('Turns for last_n_turns, 1 to 10. Default 3.'),
      })
      .prefault({})
      .describe('How much of this conversation the helper sees. Default: nothing.'),
  }),
  readOnly: true,
  risk: 'read',
  mainOnly: true,
  title: (args, text) => text('agents.dispatch.title', { prompt: oneLine(args.prompt) }),
  run: (args, ctx, signal) =>
    asResult(async () => {
      const host = hostOf(ctx)
      const outcome = await host.run(
        {
          role: '',
          history: scopedHistory(host.history(), args.scope),
          prompt: args.prompt,
          maxSteps: HELPER_STEPS,
          maxMs: HELPER_MS,
        },
        signal,
      )
      return outcomeResult(outcome)
    }),
})
