/** A card as markdown, for chats in which the platform refuses cards. Nothing of it is left out. */
import type { Card, CardBlock } from '../protocol/card.ts'

/** Title, state and every block; literal text stands in fences that nothing inside can close. */
export function cardAsMarkdown(card: Card): string {
  const title = `**${card.title}**${card.tag ? ` · ${card.tag}` : ''}`
  return [title, ...card.blocks.map(blockAsMarkdown)].join('\n\n')
}

function blockAsMarkdown(block: CardBlock): string {
  switch (block.type) {
    case 'text':
    case 'markdown':
      return block.text
    case 'code':
      return fenced(block.text)
    case 'fields':
      return block.fields.map((field) => `- ${field.name}：${field.value}`).join('\n')
    case 'divider':
      return '---'
  }
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
