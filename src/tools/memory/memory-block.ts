/** The two tools that change a block: replace it, or add to it. */
import { z } from 'zod'
import { BLOCK_LIMITS, BLOCK_NAMES, type BlockName } from '../../memory/blocks.ts'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { type MemoryDeps, ownerOf } from './deps.ts'

const LIMITS = BLOCK_NAMES.map((name) => `${name} ${BLOCK_LIMITS[name]}`).join(', ')

const block = z
  .enum(BLOCK_NAMES)
  .describe(
    'user_profile: about the person who asks now. project_context: what this chat works on. active_goals: what it wants to reach.',
  )
  .meta({ examples: ['project_context'] })

const content = (what: string): z.ZodString =>
  z
    .string()
    .trim()
    .min(1)
    .max(3_000)
    .describe(`${what} Characters that a block holds: ${LIMITS}.`)
    .meta({ examples: ['报销系统二期，截止 12 月 31 日'] })

export function createMemoryReplaceTool(deps: MemoryDeps): AnyTool {
  return defineTool({
    name: 'memory_replace',
    description:
      'Replaces one of the three texts that stand at the start of every conversation of this chat. Read the old one there first and keep what still holds. For single facts use remember_fact; to add a line use memory_append.',
    input: z.strictObject({ block, content: content('The whole new text.') }),
    readOnly: false,
    risk: 'memory',
    title: (args, text) =>
      text('memory.replace.title', {
        block: text(`memory.block.${args.block}`),
        content: oneLine(args.content),
      }),
    run: (args, ctx) => write(deps, ctx, args.block, args.content, 'replace'),
  })
}

export function createMemoryAppendTool(deps: MemoryDeps): AnyTool {
  return defineTool({
    name: 'memory_append',
    description:
      'Adds a line to one of the three texts that stand at the start of every conversation of this chat. Nothing is ever dropped to make room: when it does not fit, the result says so and memory_replace is the way.',
    input: z.strictObject({ block, content: content('The text to add at the end.') }),
    readOnly: false,
    risk: 'memory',
    title: (args, text) =>
      text('memory.append.title', {
        block: text(`memory.block.${args.block}`),
        content: oneLine(args.content),
      }),
    run: (args, ctx) => write(deps, ctx, args.block, args.content, 'append'),
  })
}

function write(
  deps: MemoryDeps,
  ctx: ToolContext,
  name: BlockName,
  text: string,
  mode: 'replace' | 'append',
): Promise<ToolResult> {
  return asResult(async () => {
    const tainted = await deps.tainted(ctx.sessionId)
    const written = await deps.blocks.write(ownerOf(ctx), { name, content: text, mode, tainted })
    const left = BLOCK_LIMITS[name] - written.content.length
    const before =
      mode === 'replace' && written.before !== '' ? ` It replaced ${written.before.length} characters.` : ''
    return {
      ok: true,
      text: `${name} now has ${written.content.length} characters, ${left} are free.${before} It opens conversations from the next /new or summary on.`,
    }
  })
}
