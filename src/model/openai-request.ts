/** Our messages → chat completions. Pure. */
import type { OpenAI } from 'openai'
import type { ContentPart, ModelMessage, ModelRequest, ToolSpec } from '../protocol/model.ts'
import { argumentsObject } from '../protocol/tool-arguments.ts'
import { plainText, wellFormed } from './wire-text.ts'

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam
type Part = OpenAI.Chat.Completions.ChatCompletionContentPart
type Image = Extract<ContentPart, { type: 'image' }>

/**
 * Messages in wire form. A tool message takes only text here, so pictures of results follow the
 * results of their turn in one user message.
 */
export function openAiMessages(request: ModelRequest, images: boolean): Message[] {
  const out: Message[] = [{ role: 'system', content: wellFormed(request.system) }]
  let pictures: Image[] = []
  const flush = (): void => {
    if (pictures.length === 0) return
    out.push({
      role: 'user',
      content: [{ type: 'text', text: 'Pictures of the results above:' }, ...pictures.map(imagePart)],
    })
    pictures = []
  }
  for (const message of request.messages) {
    if (message.role === 'tool') {
      const found = images ? message.content.filter((part) => part.type === 'image') : []
      pictures.push(...found)
      const content = found.length > 0 ? message.content.filter((p) => p.type === 'text') : message.content
      out.push({ role: 'tool', tool_call_id: message.callId, content: plainText(content) })
      continue
    }
    flush()
    out.push(message.role === 'user' ? userMessage(message.content, images) : assistantMessage(message))
  }
  flush()
  return out
}

/** Tools in the form of chat completions. */
export function openAiTools(tools: readonly ToolSpec[]): OpenAI.Chat.Completions.ChatCompletionTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      description: wellFormed(tool.description),
      parameters: { ...tool.parameters },
    },
  }))
}

function userMessage(content: readonly ContentPart[], images: boolean): Message {
  if (!images || content.every((part) => part.type === 'text')) {
    return { role: 'user', content: plainText(content) }
  }
  return { role: 'user', content: content.map(part) }
}

function assistantMessage(message: Extract<ModelMessage, { role: 'assistant' }>): Message {
  const text = wellFormed(message.text)
  if (message.toolCalls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    // Thinking models of DeepSeek, Kimi and GLM want their reasoning back while tools are at work.
    ...(message.reasoning ? { reasoning_content: wellFormed(message.reasoning) } : {}),
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function' as const,
      function: {
        name: call.name,
        arguments: JSON.stringify(argumentsObject(call.arguments)).toWellFormed(),
      },
    })),
  }
}

function part(content: ContentPart): Part {
  return content.type === 'text' ? { type: 'text', text: wellFormed(content.text) } : imagePart(content)
}

function imagePart(image: Image): Part {
  return { type: 'image_url', image_url: { url: `data:${image.mime};base64,${image.base64}` } }
}
