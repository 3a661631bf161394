/**
 * Markdown → a tree that the view turns into elements. There is no HTML on the way, so nothing in a
 * message can become markup: tags are text but for the platforms' own `<font color>`, and only http,
 * https and mailto addresses become links.
 */

export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly type: 'color'; readonly color: string; readonly children: readonly Inline[] }
  | { readonly type: 'break' }

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly text: string; readonly language: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | {
      readonly type: 'list'
      readonly start: number | undefined
      readonly items: readonly {
        readonly checked: boolean | undefined
        readonly children: readonly Block[]
      }[]
    }
  | {
      readonly type: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly type: 'rule' }

const MAX_DEPTH = 12
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/
const TABLE_LINE = /^\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?\|?\s*$/

/** Blocks of a text. Unfinished constructs, as in a text that still streams, are read as far as they go. */
export function parseMarkdown(text: string, depth = 0): readonly Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at += 1
      continue
    }
    const taken = takeBlock(lines, at, depth)
    blocks.push(taken.block)
    at = taken.next
  }
  return blocks
}

interface Taken {
  readonly block: Block
  readonly next: number
}

function takeBlock(lines: readonly string[], at: number, depth: number): Taken {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)
  if (fence) return takeFence(lines, at, fence[1] ?? '', fence[2] ?? '')
  const heading = HEADING.exec(line)
  if (heading) {
    const [, marks = '#', title = ''] = heading
    return { block: { type: 'heading', level: marks.length, children: parseInline(title) }, next: at + 1 }
  }
  if (RULE.test(line)) return { block: { type: 'rule' }, next: at + 1 }
  if (depth < MAX_DEPTH && /^\s{0,3}>/.test(line)) return takeQuote(lines, at, depth)
  if (depth < MAX_DEPTH && ITEM.test(line)) return takeList(lines, at, depth)
  if (line.includes('|') && TABLE_LINE.test(lines[at + 1] ?? '')) return takeTable(lines, at)
  return takeParagraph(lines, at)
}

function takeFence(lines: readonly string[], at: number, fence: string, language: string): Taken {
  const end = lines.findIndex(
    (line, i) => i > at && line.trim().startsWith(fence) && /^[`~]+$/.test(line.trim()),
  )
  const stop = end === -1 ? lines.length : end
  return { block: { type: 'code', text: lines.slice(at + 1, stop).join('\n'), language }, next: stop + 1 }
}

function takeQuote(lines: readonly string[], at: number, depth: number): Taken {
  let next = at
  while (next < lines.length && /^\s{0,3}>/.test(lines[next] ?? '')) next += 1
  const inner = lines.slice(at, next).map((line) => line.replace(/^\s{0,3}>\s?/, ''))
  return { block: { type: 'quote', children: parseMarkdown(inner.join('\n'), depth + 1) }, next }
}

function takeList(lines: readonly string[], at: number, depth: number): Taken {
  const [, indent = '', mark = '-'] = ITEM.exec(lines[at] ?? '') ?? []
  const ordered = /\d/.test(mark)
  const items: string[][] = []
  let next = at
  while (next < lines.length) {
    const line = lines[next] ?? ''
    const item = ITEM.exec(line)
    const [, itemIndent = '', itemMark = '', rest = ''] = item ?? []
    const sameList = item && itemIndent.length <= indent.length + 1 && /\d/.test(itemMark) === ordered
    const blank = line.trim() === ''
    if (sameList && !RULE.test(line)) items.push([rest])
    else if (item && itemIndent.length <= indent.length) break
    else if (blank && !/^\s+\S/.test(lines[next + 1] ?? '') && !ITEM.test(lines[next + 1] ?? '')) break
    else if (!blank && !/^\s/.test(line) && (lines[next - 1] ?? '').trim() === '') break
    else if (!blank && !/^\s/.test(line) && startsBlock(line)) break
    else items.at(-1)?.push(line.replace(new RegExp(`^\\s{0,${indent.length + mark.length + 1}}`), ''))
    next += 1
  }
  const start = ordered ? Number.parseInt(mark, 10) : undefined
  return { block: { type: 'list', start, items: items.map((item) => listItem(item, depth)) }, next }
}

function listItem(
  lines: readonly string[],
  depth: number,
): { checked: boolean | undefined; children: readonly Block[] } {
  const [first = '', ...rest] = lines
  const task = /^\[([ xX])\]\s+(.*)$/.exec(first)
  const text = [task ? (task[2] ?? '') : first, ...rest].join('\n')
  return { checked: task ? task[1] !== ' ' : undefined, children: parseMarkdown(text, depth + 1) }
}

function takeTable(lines: readonly string[], at: number): Taken {
  let next = at + 2
  while (next < lines.length && (lines[next] ?? '').includes('|')) next += 1
  const head = cells(lines[at] ?? '')
  const rows = lines.slice(at + 2, next).map((line) => {
    const row = cells(line)
    return head.map((_, i) => row[i] ?? [])
  })
  return { block: { type: 'table', head, rows }, next }
}

function cells(line: string): readonly (readonly Inline[])[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')))
}

function startsBlock(line: string): boolean {
  return (
    FENCE.test(line) || HEADING.test(line) || RULE.test(line) || /^\s{0,3}>/.test(line) || ITEM.test(line)
  )
}

function takeParagraph(lines: readonly string[], at: number): Taken {
  let next = at + 1
  while (next < lines.length && (lines[next] ?? '').trim() !== '' && !startsBlock(lines[next] ?? ''))
    next += 1
  return { block: { type: 'paragraph', children: parseInline(lines.slice(at, next).join('\n')) }, next }
}

/** Spans are bounded, so that thousands of marks that never close cost no seconds. */
const TOKEN =
  /\\([\\`*_~[\]()#+.!|<>-])|(`{1,8})([\s\S]{0,4000}?[^`])\2(?!`)|!?\[([^\]\n]{0,500})\]\(\s*([^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+"[^"\n]*")?\s*\)|(https?:\/\/[^\s<>"'`，。；、）】》]+)|\*\*(?=\S)([\s\S]{1,4000}?)(?<=\S)\*\*|__(?=\S)([\s\S]{1,4000}?)(?<=\S)__(?!\w)|~~(?=\S)([\s\S]{1,4000}?)(?<=\S)~~|\*(?=[^\s*])([^*\n]{1,2000}?)(?<=\S)\*|(?<!\w)_(?=\S)([^_\n]{1,2000}?)(?<=\S)_(?!\w)|<font color=['"]?([\w-]+)['"]?>([\s\S]{0,8000}?)<\/font>|&(#\d{1,7}|#x[\da-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp);|\n/g

/** Inline marks of a text. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const out: Inline[] = []
  let last = 0
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > last) out.push({ type: 'text', text: text.slice(last, match.index) })
    out.push(...inlineOf(match, depth))
    last = match.index + match[0].length
  }
  if (last < text.length) out.push({ type: 'text', text: text.slice(last) })
  return out
}

function inlineOf(match: RegExpExecArray, depth: number): readonly Inline[] {
  const [whole, escaped, , code, label, target, bare, strong, strong2, del, em, em2, color, tinted, entity] =
    match
  if (escaped !== undefined) return [{ type: 'text', text: escaped }]
  if (code !== undefined) return [{ type: 'code', text: code.replace(/^ (.*\S.*) $/, '$1') }]
  if (bare !== undefined) return bareLink(bare)
  if (entity !== undefined) return [{ type: 'text', text: decodeEntity(entity) }]
  if (whole === '\n') return [{ type: 'break' }]
  if (depth >= MAX_DEPTH) return [{ type: 'text', text: whole }]
  if (label !== undefined) {
    const href = safeHref(target ?? '')
    const children = parseInline(label, MAX_DEPTH)
    return href === undefined ? [{ type: 'text', text: whole }] : [{ type: 'link', href, children }]
  }
  if (color !== undefined) return [{ type: 'color', color, children: parseInline(tinted ?? '', depth + 1) }]
  const bold = strong ?? strong2
  if (bold !== undefined) return [{ type: 'strong', children: parseInline(bold, depth + 1) }]
  if (del !== undefined) return [{ type: 'del', children: parseInline(del, depth + 1) }]
  return [{ type: 'em', children: parseInline(em ?? em2 ?? '', depth + 1) }]
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** The character of an entity. It becomes text, never markup. */
function decodeEntity(entity: string): string {
  const known = ENTITIES[entity]
  if (known !== undefined) return known
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : `&${entity};`
}

/** A typed address; full stops and brackets behind it belong to the sentence. */
function bareLink(text: string): readonly Inline[] {
  const address = text.replace(/[.,;:!?)\]]+$/, '')
  const rest = text.slice(address.length)
  const href = safeHref(address)
  const link: Inline =
    href === undefined
      ? { type: 'text', text: address }
      : { type: 'link', href, children: [{ type: 'text', text: address }] }
  return rest === '' ? [link] : [link, { type: 'text', text: rest }]
}

/** The address if a click on it can do no harm here, else undefined. */
export function safeHref(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined
  const { protocol, href } = new URL(target)
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? href : undefined
}
