/** From a server's answer to what the model reads: text and pictures, bounded and without hidden characters (M5). */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type ToolResult, toolError } from '../../protocol/tool.ts'
import { cleanLine, visible } from './clean-text.ts'

const ITEMS = 1_000
const CHARACTERS = 1_000_000
const PICTURES = 4
const PICTURE_CHARACTERS = 5 * 1_048_576
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

type Content = CallToolResult['content'][number]

interface Copy {
  readonly texts: string[]
  readonly images: { mime: string; base64: string }[]
  characters: number
}

export function toolResult(answer: CallToolResult): ToolResult {
  const copy: Copy = { texts: [], images: [], characters: 0 }
  for (const item of answer.content.slice(0, ITEMS)) {
    if (isShownPicture(item, copy.images.length)) copy.images.push({ mime: item.mimeType, base64: item.data })
    else addText(copy, textOf(item))
  }
  const left = answer.content.length - ITEMS
  if (left > 0) copy.texts.push(`(${left} more parts of the answer were left out)`)
  if (answer.structuredContent !== undefined && !answer.content.some((item) => item.type === 'text')) {
    addText(copy, JSON.stringify(answer.structuredContent, null, 2))
  }
  const text = copy.texts.join('\n')
  if (answer.isError === true) {
    const message = text || 'The server said that the call failed.'
    return toolError('failed', message, 'Read what the server says, and try another way.')
  }
  return {
    ok: true,
    text: text || (copy.images.length > 0 ? `(${copy.images.length} pictures)` : '(no output)'),
    ...(answer.structuredContent === undefined ? {} : { data: answer.structuredContent }),
    ...(copy.images.length === 0 ? {} : { images: copy.images }),
  }
}

function isShownPicture(item: Content, before: number): item is Extract<Content, { type: 'image' }> {
  return (
    item.type === 'image' &&
    before < PICTURES &&
    PICTURE_TYPES.includes(item.mimeType) &&
    item.data.length <= PICTURE_CHARACTERS &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(item.data)
  )
}

/** A part of an answer in words; what cannot be shown is named. */
function textOf(item: Content): string {
  switch (item.type) {
    case 'text':
      return item.text
    case 'image':
    case 'audio':
      return `(${item.type}, ${cleanLine(item.mimeType, 60)}, ${item.data.length} characters of base64, left out)`
    case 'resource_link':
      return `${cleanLine(item.title ?? item.name, 200)}: ${cleanLine(item.uri, 2_000)}`
    case 'resource': {
      const { resource } = item
      const uri = cleanLine(resource.uri, 2_000)
      return 'text' in resource ? `${uri}\n${resource.text}` : `${uri} (a file, left out)`
    }
  }
}

function addText(copy: Copy, text: string): void {
  const room = CHARACTERS - copy.characters
  if (room <= 0) return
  const plain = visible(text.slice(0, room))
  copy.characters += plain.length
  copy.texts.push(text.length > room ? `${plain}\n(the rest was left out)` : plain)
}
