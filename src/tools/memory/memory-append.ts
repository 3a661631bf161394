import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { oneLine } from '../one-line.ts'
import { blockArgument, contentArgument, writeBlock } from './block.ts'
import type { MemoryDeps } from './deps.ts'

export function createMemoryAppendTool(deps: MemoryDeps): AnyTool {
  return defineTool({
    name: 'memory_append',
    description:
      'Adds a line to one of the three texts that stand at the start of every conversation of this chat. Nothing is ever dropped to make room: when it does not fit, the result says so and memory_replace is the way.',
    input: z.strictObject({ block: blockArgument, content: contentArgument('The text to add at the end.') }),
    readOnly: false,
    risk: 'memory',
    title: (args, text) =>
      text('memory.append.title', {
        block: text(`memory.block.${args.block}`),
        content: oneLine(args.content),
      }),
    run: (args, ctx) => writeBlock(deps, ctx, args.block, args.content, 'append'),
  })
}
