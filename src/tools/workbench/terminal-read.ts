import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, terminalField } from './shape.ts'

export function createTerminalReadTool({ terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'terminal_read',
    description:
      'Shows the end of what a terminal has put out so far; it does not wait. A higher sequence than last time means that there is more; read again later for a program that is still running.',
    input: z.strictObject({
      terminalId: terminalField,
      format: z
        .enum(['text', 'ansi'])
        .default('text')
        .describe('text: as people see it; ansi: with colour and cursor codes.'),
      maxChars: z.int().min(1).max(100_000).default(20_000).describe('Longest answer, counted from the end.'),
    }),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('workbench.terminal_read.title'),
    run: (args, ctx) =>
      jsonAnswer(() => terminals.read(callerOf(ctx), args.terminalId, args.format, args.maxChars)),
  })
}
