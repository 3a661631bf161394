import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer } from './shape.ts'

export function createWorkspaceListTool({ workspaces, terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'workspace_list',
    description:
      'Lists the workspaces you may use, each with its folder and its terminals. Start here: the other workbench tools take the id.',
    input: z.strictObject({}),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('workbench.workspace_list.title'),
    run: (_args, ctx) =>
      jsonAnswer(async () => {
        const caller = callerOf(ctx)
        const open = await terminals.list(caller)
        return (await workspaces.visible(caller)).map((workspace) => ({
          id: workspace.id,
          name: workspace.address.chatId,
          projectPath: workspace.folder,
          terminalIds: open.filter((one) => one.workspaceId === workspace.id).map((one) => one.id),
        }))
      }),
  })
}
