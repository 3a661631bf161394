/**
 * A card as markdown, for chats in which the platform refuses cards. Nothing of it is left out but what only a card
 * can keep true: such a message is never changed, and nobody can click in it.
 */
import type { Card, CardBlock } from '../protocol/card.ts'

/** Title and every block; the state only when it is settled. Literal text stands in fences that nothing inside can close. */
export function cardAsMarkdown(card: Card): string {
  const isSettled = card.buttons.length === 0
  const title = `**${card.title}**${isSettled && card.tag ? ` · ${card.tag}` : ''}`
  return [title, ...card.blocks.map(blockAsMarkdown)].join('\n\n')
}

function blockAsMarkdown(block: CardBlock): string {
  switch (block.type) {
    case 'text':
      return block.buttonless ?? block.text
    case 'markdown':
      return block.text
    case 'code':
      return fenced(block.text)
    case 'fields':
      return block.fields
        .map(({ name, value }) => `- **${name}** ${value.replaceAll('\n', '\n  ')}`)
        .join('\n')
    case 'divider':
      return '---'
  }
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
