import { z } from 'zod'
import { clipText } from '../../protocol/clip-text.ts'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { type MemoryDeps, ownerOf } from './deps.ts'

const KEY_CHARACTERS = 100
const VALUE_CHARACTERS = 2_000
const ECHOED = 80

export function createRememberFactTool({ facts, tainted }: MemoryDeps): AnyTool {
  return defineTool({
    name: 'remember_fact',
    description:
      'Remembers one fact of this chat under a key, beyond the conversation; the same key replaces the old value. Use it for what was decided or asked to be kept, not for secrets. To read it back, use recall_fact by key or recall_memory by topic; for texts that open every conversation, memory_append.',
    input: z.strictObject({
      key: z
        .string()
        .trim()
        .min(1)
        .max(KEY_CHARACTERS)
        .describe(
          `Short name of the fact, at most ${KEY_CHARACTERS} characters, in the language of the chat.`,
        )
        .meta({ examples: ['报销系统负责人'] }),
      value: z
        .string()
        .trim()
        .min(1)
        .max(VALUE_CHARACTERS)
        .describe(`The fact, text or JSON, at most ${VALUE_CHARACTERS} characters.`)
        .meta({ examples: ['张三'] }),
      scope: z
        .enum(['chat', 'person'])
        .default('chat')
        .describe('chat: everybody here can recall it. person: only the one who asks now, in this chat.'),
    }),
    readOnly: false,
    risk: 'memory',
    title: (args, text) =>
      text('memory.remember.title', { key: oneLine(args.key), value: oneLine(args.value) }),
    run: (args, ctx, signal) =>
      asResult(async () => {
        const written = await facts.remember(
          ownerOf(ctx),
          { ...args, tainted: await tainted(ctx.sessionId) },
          signal,
        )
        const shown = clipText(args.value, ECHOED)
        const before =
          written.before === undefined
            ? ''
            : ` It replaced: ${JSON.stringify(written.before.slice(0, ECHOED))}.`
        return {
          ok: true,
          text: `Remembered ${JSON.stringify(args.key)} = ${JSON.stringify(shown)} (id ${written.id}, for ${args.scope}).${before}`,
        }
      }),
  })
}
