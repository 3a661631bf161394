import { useState } from 'preact/hooks'
import { useText } from '../context.ts'
import { type Block, type Inline, parseMarkdown } from '../markdown.ts'
import { Icon } from './icons.tsx'

/** Markdown of a message as elements; names in `mentions` stand out behind an `@`. */
export function Markdown({
  text,
  mentions = [],
}: {
  readonly text: string
  readonly mentions?: readonly string[]
}) {
  return (
    <div class="markdown">
      <Blocks blocks={parseMarkdown(text)} mentions={mentions} />
    </div>
  )
}

interface Names {
  readonly mentions: readonly string[]
}

function Blocks({ blocks, mentions }: { readonly blocks: readonly Block[] } & Names) {
  return blocks.map((block, i) => <BlockView key={i} block={block} mentions={mentions} />)
}

function BlockView({ block, mentions }: { readonly block: Block } & Names) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Inlines nodes={block.children} mentions={mentions} />
        </p>
      )
    case 'heading': {
      const Tag = block.level <= 1 ? 'h3' : block.level === 2 ? 'h4' : 'h5'
      return (
        <Tag>
          <Inlines nodes={block.children} mentions={mentions} />
        </Tag>
      )
    }
    case 'code':
      return <Code text={block.text} language={block.language} />
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} mentions={mentions} />
        </blockquote>
      )
    case 'list':
      return <List block={block} mentions={mentions} />
    case 'table':
      return <Table head={block.head} rows={block.rows} mentions={mentions} />
    case 'rule':
      return <hr />
    default: {
      const never: never = block
      return never
    }
  }
}

function List({ block, mentions }: { readonly block: Extract<Block, { type: 'list' }> } & Names) {
  const items = block.items.map((item, i) => (
    <li key={i} class={item.checked === undefined ? undefined : 'task'}>
      {item.checked === undefined ? null : <input type="checkbox" checked={item.checked} disabled />}
      <Blocks blocks={item.children} mentions={mentions} />
    </li>
  ))
  return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
}

interface TableProps extends Names {
  readonly head: readonly (readonly Inline[])[]
  readonly rows: readonly (readonly (readonly Inline[])[])[]
}

function Table({ head, rows, mentions }: TableProps) {
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col">
                <Inlines nodes={cell} mentions={mentions} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>
                  <Inlines nodes={cell} mentions={mentions} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inlines({ nodes, mentions }: { readonly nodes: readonly Inline[] } & Names) {
  return nodes.map((node, i) => <InlineView key={i} node={node} mentions={mentions} />)
}

/** Colour words of Feishu (`grey`, `green` …) and of WeCom (`info`, `comment`, `warning`). */
const COLORS: Readonly<Record<string, string>> = {
  grey: 'tint-grey',
  comment: 'tint-grey',
  green: 'tint-green',
  info: 'tint-green',
  red: 'tint-red',
  orange: 'tint-orange',
  warning: 'tint-orange',
  blue: 'tint-blue',
  purple: 'tint-purple',
}

function InlineView({ node, mentions }: { readonly node: Inline } & Names) {
  switch (node.type) {
    case 'text':
      return <Mentions text={node.text} names={mentions} />
    case 'code':
      return <code>{node.text}</code>
    case 'break':
      return <br />
    case 'strong':
      return (
        <strong>
          <Inlines nodes={node.children} mentions={mentions} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inlines nodes={node.children} mentions={mentions} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inlines nodes={node.children} mentions={mentions} />
        </del>
      )
    case 'color':
      return (
        <span class={COLORS[node.color] ?? ''}>
          <Inlines nodes={node.children} mentions={mentions} />
        </span>
      )
    case 'link':
      return (
        <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
          <Inlines nodes={node.children} mentions={mentions} />
        </a>
      )
    default: {
      const never: never = node
      return never
    }
  }
}

/** Plain text in which `@Name` of a mentioned person stands out. */
export function Mentions({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return <>{text}</>
  const longestFirst = [...new Set(names)].filter((name) => name !== '').sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(@(?:${longestFirst.map(escapeLiteral).join('|')}))`)
  return text.split(pattern).map((piece, i) =>
    i % 2 === 1 ? (
      <span key={i} class="mention">
        {piece}
      </span>
    ) : (
      piece
    ),
  )
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** A box of literal text with a button that copies it. */
export function Code({ text, language = '' }: { readonly text: string; readonly language?: string }) {
  const t = useText()
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <div class="code">
      {language === '' ? null : <span class="code-language">{language}</span>}
      <button
        type="button"
        class="quiet code-copy"
        aria-label={t(copied ? 'code.copied' : 'code.copy')}
        onClick={() => void copy()}
      >
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
