/** Characters that mean something in card markdown, as numeric entities Feishu shows literally. */
export function literalMarkdown(text: string): string {
  return text.replace(/[&<>*_~`[\]()#|!\\$-]/g, (char) => `&#${char.charCodeAt(0)};`)
}

const WORD_JOINER = '\u2060'

/**
 * Breaks `<at …>` and `<person …>` by an invisible joiner where entities would be shown as they are:
 * in code and in text messages. Nothing that an agent writes may call a person.
 */
export function breakMentions(text: string): string {
  return text.replace(/<(?=\s*\/?\s*(?:at|person)\b)/gi, `<${WORD_JOINER}`)
}
