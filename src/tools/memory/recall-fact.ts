import { z } from 'zod'
import { type AnyTool, defineTool, toolError } from '../../protocol/tool.ts'
import { nearest } from '../nearest.ts'
import { oneLine } from '../one-line.ts'
import { AS_DATA, AS_UNTRUSTED, factLine, type MemoryDeps, ownerOf } from './deps.ts'

const KEYS_SHOWN = 20

export function createRecallFactTool({ facts }: MemoryDeps): AnyTool {
  return defineTool({
    name: 'recall_fact',
    description:
      'Reads the fact that was remembered in this chat under exactly this key. When you do not know the key, search with recall_memory instead.',
    input: z.strictObject({
      key: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .describe('The key as it was given to remember_fact.')
        .meta({ examples: ['报销系统负责人'] }),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('memory.recall.title', { what: oneLine(args.key) }),
    run: async (args, ctx) => {
      const fact = await facts.recall(ownerOf(ctx), args.key)
      if (fact) {
        const text = `${fact.tainted ? AS_UNTRUSTED : AS_DATA}\n${factLine(fact)}`
        return { ok: true, text, ...(fact.tainted ? { foreign: true } : {}) }
      }
      const keys = (await facts.list(ownerOf(ctx))).map((one) => one.key)
      const meant = nearest(args.key, keys)
      const known = keys.slice(0, KEYS_SHOWN).map((key) => JSON.stringify(key))
      return toolError(
        'not_found',
        `Nothing is remembered here under ${JSON.stringify(args.key)}.${meant ? ` Did you mean ${JSON.stringify(meant)}?` : ''}`,
        keys.length === 0
          ? 'This chat has no facts yet.'
          : `${keys.length} keys in total, ${known.length} shown: ${known.join(', ')}. Or search with recall_memory.`,
      )
    },
  })
}
