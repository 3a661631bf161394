import { clipText } from '../../../src/protocol/clip-text.ts'
import { TABLES } from '../capabilities.ts'
import { cardConfig } from './card.ts'
import { chunkMarkdown } from './chunk.ts'
import { type CardJson, markdown } from './element.ts'
import { literalMarkdown } from './literal.ts'
import { cardMarkdown } from './markdown.ts'

const SUMMARY_CHARS = 80

/** An answer in markdown as a card without header; `tables` limits what is shown as a real table. */
export function paintAnswer(text: string, tables = TABLES): CardJson {
  const chunks = chunkMarkdown(cardMarkdown(text, tables))
  return {
    schema: '2.0',
    config: cardConfig(summarise(text)),
    body: { elements: (chunks.length > 0 ? chunks : ['…']).map((chunk) => markdown(chunk)) },
  }
}

/** The same text with no markup at all, for a platform that refused it as markdown. */
export function paintLiteralAnswer(text: string): CardJson {
  return {
    schema: '2.0',
    config: cardConfig(summarise(text)),
    body: { elements: chunkMarkdown(literalMarkdown(text)).map((chunk) => markdown(chunk)) },
  }
}

/** First words of a text, without markup, for the chat list. */
export function summarise(text: string): string {
  const line = text
    .replace(/[`*_#<>|[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return clipText(line, SUMMARY_CHARS)
}
