import { z } from 'zod'
import type { Search } from '../../memory/facts.ts'
import { type AnyTool, defineTool, type ToolResult } from '../../protocol/tool.ts'
import { oneLine } from '../one-line.ts'
import { AS_DATA, AS_UNTRUSTED, factLine, type MemoryDeps, ownerOf } from './deps.ts'

const SAID_CHARACTERS = 300

export function createRecallMemoryTool({ facts, outage }: MemoryDeps): AnyTool {
  return defineTool({
    name: 'recall_memory',
    description:
      'Searches what was remembered in this chat, and what was said earlier in this conversation and has been summed up since, by topic or words, Chinese included. Other chats are never searched. With the exact key use recall_fact; for files use grep.',
    input: z.strictObject({
      query: z
        .string()
        .trim()
        .min(1)
        .max(500)
        .describe('Topic or words, at most 500 characters.')
        .meta({ examples: ['报销 审批'] }),
      limit: z.int().min(1).max(50).default(20).describe('Facts at once, 1 to 50. Default 20.'),
      offset: z.int().min(0).default(0).describe('Facts to skip, from an earlier result. Default 0.'),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('memory.search.title', { what: oneLine(args.query) }),
    run: async (args, ctx, signal) => {
      const found = await facts.search(ownerOf(ctx), args.query, signal)
      return present(found, args, outage())
    },
  })
}

function present(
  found: Search,
  { limit, offset }: { limit: number; offset: number },
  outage: { since: number; reason: string } | undefined,
): ToolResult {
  const total = found.facts.length
  const shown = found.facts.slice(offset, offset + limit)
  const end = offset + shown.length
  const foreign = shown.some((fact) => fact.tainted)
  const more = end < total ? `, use offset ${end} for more` : ''
  const lines = [
    ...(outage
      ? [
          `Keyword search only: embeddings unavailable since ${new Date(outage.since).toISOString()} (${outage.reason}).`,
        ]
      : []),
    `${total} facts in total, ${shown.length} returned${more}.`,
    ...(shown.length > 0 ? [foreign ? AS_UNTRUSTED : AS_DATA, ...shown.map(factLine)] : []),
    ...(found.said.length > 0 ? ['Said earlier in this conversation:', ...found.said.map(saidLine)] : []),
  ]
  return {
    ok: true,
    text: lines.join('\n'),
    ...(foreign ? { foreign: true } : {}),
    ...(end < total ? { truncated: { total, returned: shown.length, next: end } } : {}),
  }
}

function saidLine({ at, who, text }: Search['said'][number]): string {
  const cut = text.length > SAID_CHARACTERS
  const shown = cut ? `${text.slice(0, SAID_CHARACTERS).toWellFormed()}…` : text
  return JSON.stringify({
    at: new Date(at).toISOString().slice(0, 16),
    who,
    text: shown,
    ...(cut ? { left_out: text.length - SAID_CHARACTERS } : {}),
  })
}
