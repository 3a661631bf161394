import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, workspaceField } from './shape.ts'

export function createTerminalListTool({ terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'terminal_list',
    description: 'Lists terminals and whether each is live. terminal_read shows what one has put out.',
    input: z.strictObject({ workspaceId: workspaceField.optional() }),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('workbench.terminal_list.title'),
    run: (args, ctx) => jsonAnswer(() => terminals.list(callerOf(ctx), args.workspaceId)),
  })
}
