/** What the two tools that change a block share. */
import { z } from 'zod'
import { BLOCK_LIMITS, BLOCK_NAMES, type BlockName } from '../../memory/blocks.ts'
import type { ToolContext, ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { type MemoryDeps, ownerOf } from './deps.ts'

const LIMITS = BLOCK_NAMES.map((name) => `${name} ${BLOCK_LIMITS[name]}`).join(', ')

export const blockArgument = z
  .enum(BLOCK_NAMES)
  .describe(
    'user_profile: about the person who asks now. project_context: what this chat works on. active_goals: what it wants to reach.',
  )
  .meta({ examples: ['project_context'] })

export const contentArgument = (what: string): z.ZodString =>
  z
    .string()
    .trim()
    .min(1)
    .max(3_000)
    .describe(`${what} Characters that a block holds: ${LIMITS}.`)
    .meta({ examples: ['报销系统二期，截止 12 月 31 日'] })

/** Writes it, and says what has become of it and how much room is left. */
export function writeBlock(
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
