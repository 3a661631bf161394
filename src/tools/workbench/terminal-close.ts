import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, terminalField } from './shape.ts'

export function createTerminalCloseTool({ terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'terminal_close',
    description: 'Closes a terminal and kills what runs in it. Tasks that preferred it no longer do.',
    input: z.strictObject({ terminalId: terminalField }),
    readOnly: false,
    risk: 'write',
    title: (_args, text) => text('workbench.terminal_close.title'),
    run: ({ terminalId }, ctx) =>
      jsonAnswer(async () => {
        await terminals.close(callerOf(ctx), terminalId)
        return { terminalId, closed: true }
      }),
  })
}
