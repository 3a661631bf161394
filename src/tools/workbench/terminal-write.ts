import { z } from 'zod'
import { type AnyTool, type BoundCall, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { oneLine } from '../one-line.ts'
import { callerOf, jsonAnswer, terminalField } from './shape.ts'

const MOST = 65_536

export function createTerminalWriteTool({ terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'terminal_write',
    description:
      'Types into a terminal, exactly these characters; submit adds Return. It says that they were written, not that anything has finished: look with terminal_read. ' +
      'May need the approval of a person. Control characters work: "\\u0003" is Ctrl-C.',
    input: z.strictObject({
      terminalId: terminalField,
      data: z.string().max(MOST).describe(`Characters to type, at most ${MOST}.`),
      submit: z.boolean().default(false).describe('Press Return afterwards.'),
    }),
    readOnly: false,
    risk: 'command',
    title: (args, text) =>
      text(`workbench.terminal_write.title${args.submit ? '_submit' : ''}`, { data: oneLine(args.data) }),
    bind: async (args, ctx): Promise<BoundCall> => {
      // What is typed goes to whatever runs there, so the terminal itself is part of the call.
      await terminals.find(callerOf(ctx), args.terminalId)
      const { profile } = ctx.sandbox.status()
      return { tool: 'terminal_write', args, command: args.data, keystrokes: true, sandboxProfile: profile }
    },
    run: ({ terminalId, data, submit }, ctx) =>
      jsonAnswer(async () => {
        await terminals.write(callerOf(ctx), terminalId, submit ? `${data}\r` : data)
        return { terminalId, written: true }
      }),
  })
}
