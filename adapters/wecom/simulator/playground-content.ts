/** A message's content → the playground's neutral content. Files are named `<message id>:<position>`. */
import type { PlaygroundBlock, PlaygroundContent, PlaygroundFile } from '../../../src/protocol/playground.ts'
import { playgroundCard } from './playground-card.ts'
import type { FileView, MessageView } from './view.ts'

/** Every file that a message carries, in order. */
export function filesOf({ content }: MessageView): FileView[] {
  switch (content.type) {
    case 'file':
    case 'image':
    case 'voice':
    case 'video':
      return [content.file]
    case 'mixed':
      return content.parts.flatMap((part) => (part.type === 'image' ? [part.file] : []))
    case 'stream':
      return content.images.map((bytes, index) => ({ name: `image-${index + 1}.png`, bytes }))
    default:
      return []
  }
}

const fileAt = (message: MessageView, index: number): PlaygroundFile => {
  const file = filesOf(message)[index]
  return { id: `${message.id}:${index}`, name: file?.name ?? '', bytes: file?.bytes.length ?? 0 }
}

const imageAt = (message: MessageView, index: number): PlaygroundBlock => {
  const file = fileAt(message, index)
  return { type: 'image', file, alt: file.name }
}

/** A leading `<think>…</think>` is a section of its own that the client folds away. */
function splitThinking(text: string): { thinking: string; answer: string } {
  const found = /^\s*<think>([\s\S]*?)(?:<\/think>|$)/.exec(text)
  if (!found) return { thinking: '', answer: text }
  return { thinking: (found[1] ?? '').trim(), answer: text.slice(found[0].length).trim() }
}

function streamContent(message: MessageView, text: string, finished: boolean): PlaygroundContent {
  const { thinking, answer } = splitThinking(text)
  const images = filesOf(message).map((_file, index) => imageAt(message, index))
  if (thinking === '' && images.length === 0) {
    return { type: 'markdown', text: answer === '' && !finished ? '思考中…' : answer }
  }
  const panel: PlaygroundBlock = {
    type: 'panel',
    title: answer === '' && !finished ? '思考中…' : '已深度思考',
    open: answer === '',
    blocks: [{ type: 'markdown', text: thinking }],
  }
  const body: PlaygroundBlock[] = answer === '' ? [] : [{ type: 'markdown', text: answer }]
  return { type: 'card', card: { blocks: [...(thinking === '' ? [] : [panel]), ...body, ...images] } }
}

function mixedContent(message: MessageView): PlaygroundContent {
  if (message.content.type !== 'mixed') return { type: 'notice', text: '' }
  let images = 0
  const blocks = message.content.parts.map(
    (part): PlaygroundBlock =>
      part.type === 'text' ? { type: 'plain', text: part.text } : imageAt(message, images++),
  )
  return { type: 'card', card: { blocks } }
}

/** What the page shows of a message. */
export function playgroundContent(message: MessageView): PlaygroundContent {
  const { content } = message
  switch (content.type) {
    case 'text':
    case 'markdown':
      return content
    case 'stream':
      return streamContent(message, content.text, content.finished)
    case 'card':
      return { type: 'card', card: playgroundCard(content.card) }
    case 'file':
    case 'image':
    case 'video':
      return { type: content.type, file: fileAt(message, 0) }
    case 'voice':
      return { type: 'audio', file: fileAt(message, 0) }
    case 'mixed':
      return mixedContent(message)
    case 'news':
      return {
        type: 'markdown',
        text: content.articles
          .map(({ title, url, description }) => {
            const head = url === undefined ? `**${title}**` : `[**${title}**](${url})`
            return description === undefined ? head : `${head}\n\n${description}`
          })
          .join('\n\n'),
      }
    case 'recalled':
      return { type: 'notice', text: '' }
    default:
      return content satisfies never
  }
}
