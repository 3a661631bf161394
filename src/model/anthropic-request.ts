/** Our messages → the Messages API: roles alternate, results open the user message. Pure. */
import type { Anthropic } from '@anthropic-ai/sdk'
import type { ContentPart, ModelMessage, ToolSpec } from '../protocol/model.ts'
import { argumentsObject } from '../protocol/tool-arguments.ts'
import { plainText, wellFormed } from './wire-text.ts'

type Block = Anthropic.ContentBlockParam
type ResultPart = Anthropic.TextBlockParam | Anthropic.ImageBlockParam
interface Draft {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/**
 * Neighbours of one role are merged, since the API wants turns to alternate; all results of a turn
 * stand in one user message, before anything else. The last block carries a cache mark, so that the
 * next turn reads the whole prefix from the cache.
 */
export function anthropicMessages(
  messages: readonly ModelMessage[],
  images: boolean,
): Anthropic.MessageParam[] {
  const drafts: Draft[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(message, images)
    const last = drafts.at(-1)
    if (blocks.length === 0) continue
    if (last?.role === role) last.content.push(...blocks)
    else drafts.push({ role, content: blocks })
  }
  if (drafts[0]?.role === 'assistant') {
    drafts.unshift({ role: 'user', content: [{ type: 'text', text: '(earlier conversation)' }] })
  }
  markLast(drafts)
  return drafts
}

/** Tools in the form of the Messages API. */
export function anthropicTools(tools: readonly ToolSpec[]): Anthropic.Tool[] {
  return tools.map((tool, i) => ({
    name: tool.name,
    description: wellFormed(tool.description),
    input_schema: { ...tool.parameters, type: 'object' },
    ...(i === tools.length - 1 ? { cache_control: { type: 'ephemeral' } } : {}),
  }))
}

function blocksOf(message: ModelMessage, images: boolean): Block[] {
  switch (message.role) {
    case 'user':
      return parts(message.content, images)
    case 'assistant':
      return assistantBlocks(message)
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: message.callId,
          content: parts(message.content, images),
          ...(message.isError ? { is_error: true } : {}),
        },
      ]
  }
}

function assistantBlocks(message: Extract<ModelMessage, { role: 'assistant' }>): Block[] {
  const blocks: Block[] = []
  if (message.reasoning && message.reasoningSignature) {
    blocks.push({ type: 'thinking', thinking: message.reasoning, signature: message.reasoningSignature })
  }
  const text = wellFormed(message.text).trimEnd()
  if (text !== '') blocks.push({ type: 'text', text })
  for (const call of message.toolCalls) {
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call.arguments) })
  }
  return blocks
}

function parts(content: readonly ContentPart[], images: boolean): ResultPart[] {
  if (!images) return textBlocks(plainText(content))
  return content.flatMap((part) =>
    part.type === 'text' ? textBlocks(wellFormed(part.text)) : imageBlock(part),
  )
}

/** Blank text blocks are refused by the API. */
function textBlocks(text: string): ResultPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function imageBlock(part: Extract<ContentPart, { type: 'image' }>): ResultPart[] {
  const type = IMAGE_TYPES.find((known) => known === part.mime)
  if (!type) return textBlocks(`[a picture of type ${part.mime} is left out: the model cannot read it]`)
  return [{ type: 'image', source: { type: 'base64', media_type: type, data: part.base64 } }]
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

function markLast(drafts: readonly Draft[]): void {
  const content = drafts.at(-1)?.content
  const block = content?.at(-1)
  if (!content || !block || block.type === 'thinking' || block.type === 'redacted_thinking') return
  content[content.length - 1] = { ...block, cache_control: { type: 'ephemeral' } }
}
