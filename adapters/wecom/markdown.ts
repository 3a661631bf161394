/** Makes other people's text harmless in WeCom's markdown dialects. Pure. */
import type { Card, CardBlock } from '../../src/protocol/card.ts'

const FENCED = /(^|\n)([ ]{0,3}(?:```|~~~)[\s\S]*?(?:\n[ ]{0,3}(?:```|~~~)[ \t]*(?=\n|$)|$))/

/**
 * Outside code, turns `<@userid>` into visible text, so that an answer never calls people, and pictures
 * into links: a picture is fetched by every reader's client, and its address may carry what was read.
 */
export function neutralMarkdown(markdown: string): string {
  return markdown
    .split(new RegExp(FENCED, 'g'))
    .map((part) => (/^[ ]{0,3}(?:```|~~~)/.test(part) ? part : neutralProse(part)))
    .join('')
}

function neutralProse(text: string): string {
  return text.replace(/<@/g, '<＠').replace(PICTURE, '[')
}

/** The beginning of a picture; the length is bounded so that no line makes the search slow. */
const PICTURE = /!\[(?=[^[\]\n]{0,500}\][([])/g

/** Literal text in a markdown message: nothing in it is markup. */
export function literalMarkdown(text: string): string {
  return text
    .replaceAll('<@', '<＠')
    .replace(/([\\`*_#[\]~|])/g, String.raw`\$1`)
    .replace(/^(\s*)([>+-])/gm, String.raw`$1\$2`)
}

/** A card without buttons as markdown, for routes that have no such card. */
export function cardMarkdown(card: Card): string {
  const blocks = card.blocks.map(blockMarkdown)
  return [
    `**${literalMarkdown(card.title)}**${card.tag ? ` · ${literalMarkdown(card.tag)}` : ''}`,
    ...blocks,
  ].join('\n\n')
}

/** The whole card in words, to stand above it: without its state, which changes on the card alone. */
export function wordsAbove({ tag: _tag, ...card }: Card): string {
  return cardMarkdown(card)
}

function blockMarkdown(block: CardBlock): string {
  switch (block.type) {
    case 'text':
      return literalMarkdown(block.text)
    case 'markdown':
      return neutralMarkdown(block.text)
    case 'code':
      return fence(block.text)
    case 'fields':
      return block.fields
        .map((field) => `**${literalMarkdown(field.name)}** ${literalMarkdown(field.value)}`)
        .join('\n')
    case 'divider':
      return '---'
  }
}

/** A fence longer than any run of backticks inside. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}\n${text}\n${mark}`
}
