import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { oneLine } from '../one-line.ts'
import { blockArgument, contentArgument, writeBlock } from './block.ts'
import type { MemoryDeps } from './deps.ts'

export function createMemoryReplaceTool(deps: MemoryDeps): AnyTool {
  return defineTool({
    name: 'memory_replace',
    description:
      'Replaces one of the three texts that stand at the start of every conversation of this chat. Read the old one there first and keep what still holds. For single facts use remember_fact; to add a line use memory_append.',
    input: z.strictObject({ block: blockArgument, content: contentArgument('The whole new text.') }),
    readOnly: false,
    risk: 'memory',
    title: (args, text) =>
      text('memory.replace.title', {
        block: text(`memory.block.${args.block}`),
        content: oneLine(args.content),
      }),
    run: (args, ctx) => writeBlock(deps, ctx, args.block, args.content, 'replace'),
  })
}
