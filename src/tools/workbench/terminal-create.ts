import { z } from 'zod'
import { type AnyTool, type BoundCall, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { oneLine } from '../one-line.ts'
import { callerOf, jsonAnswer, workspaceField } from './shape.ts'

const COMMAND_CHARACTERS = 32_768

export function createTerminalCreateTool({ terminals }: Workbench): AnyTool {
  return defineTool({
    name: 'terminal_create',
    description:
      'Opens a terminal of 120 by 30 with a shell in the sandbox; it stays open between calls. For a single command that ends by itself prefer shell. ' +
      'It may need the approval of a person, and so may everything written to it.',
    input: z.strictObject({
      workspaceId: workspaceField,
      name: z.string().trim().min(1).max(120).default('shell').describe('Name that people see.'),
      workingDirectory: z
        .string()
        .min(1)
        .max(1_000)
        .default('.')
        .describe('Folder relative to the workspace. Default: the workspace.'),
      command: z
        .string()
        .min(1)
        .max(COMMAND_CHARACTERS)
        .refine((text) => !text.includes('\0'), { message: 'no NUL' })
        .optional()
        .describe('Typed into the shell at once.'),
    }),
    readOnly: false,
    risk: 'command',
    title: (args, text) =>
      args.command === undefined
        ? text('workbench.terminal_create.title', { name: oneLine(args.name) })
        : text('workbench.terminal_create.title_command', { command: oneLine(args.command) }),
    bind: (args, ctx): Promise<BoundCall> =>
      Promise.resolve({
        tool: 'terminal_create',
        args,
        sandboxProfile: ctx.sandbox.status().profile,
        ...(args.command === undefined ? {} : { command: args.command, keystrokes: true }),
      }),
    run: ({ workspaceId, name, workingDirectory, command }, ctx) =>
      jsonAnswer(() => terminals.create(callerOf(ctx), workspaceId, { name, workingDirectory, command })),
  })
}
