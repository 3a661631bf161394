import { useState } from 'preact/hooks'
import type {
  PlaygroundBlock,
  PlaygroundButton,
  PlaygroundCard,
  PlaygroundMessage,
} from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { safeHref } from '../markdown.ts'
import { ImageFile } from './file.tsx'
import { Icon } from './icons.tsx'
import { Code, Markdown, Mentions } from './markdown.tsx'

interface CardProps {
  readonly message: PlaygroundMessage
  readonly card: PlaygroundCard
}

interface FormProps {
  readonly message: PlaygroundMessage
  readonly form: Readonly<Record<string, string>>
  readonly set: (name: string, value: string) => void
}

/** A card with its own inputs; what was typed goes along with whichever button is pressed. */
export function Card({ message, card }: CardProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const form = { ...initialForm(card.blocks), ...typed }
  const set = (name: string, value: string): void => setTyped((old) => ({ ...old, [name]: value }))
  const { header } = card
  return (
    <article class="card" aria-label={header?.title}>
      {header ? (
        <header class={`card-header ${header.color}`}>
          <h3>
            <Mentions text={header.title} names={[]} />
          </h3>
          {header.tags.map((tag) => (
            <span key={tag.text} class={`tag ${tag.color}`}>
              {tag.text}
            </span>
          ))}
          {header.subtitle ? <p>{header.subtitle}</p> : null}
        </header>
      ) : null}
      <div class="card-body">
        <CardBlocks blocks={card.blocks} message={message} form={form} set={set} />
      </div>
    </article>
  )
}

function CardBlocks({ blocks, ...form }: { readonly blocks: readonly PlaygroundBlock[] } & FormProps) {
  return blocks.map((block, i) => <CardBlockView key={i} block={block} {...form} />)
}

function CardBlockView({ block, ...form }: { readonly block: PlaygroundBlock } & FormProps) {
  switch (block.type) {
    case 'markdown':
      return <Markdown text={block.text} mentions={form.message.mentions} />
    case 'plain':
      return <p class="card-plain">{block.text}</p>
    case 'note':
      return <p class="card-note">{block.text}</p>
    case 'code':
      return <Code text={block.text} language={block.language ?? ''} />
    case 'fields':
      return <Fields fields={block.fields} />
    case 'table':
      return <CardTable columns={block.columns} rows={block.rows} />
    case 'image':
      return <ImageFile file={block.file} alt={block.alt} />
    case 'divider':
      return <hr />
    case 'panel':
      return (
        <details class="panel" open={block.open}>
          <summary>
            <Icon name="right" />
            <Markdown text={block.title} />
          </summary>
          <div class="panel-body">
            <CardBlocks blocks={block.blocks} {...form} />
          </div>
        </details>
      )
    case 'columns':
      return (
        <div class="card-columns">
          {block.columns.map((column, i) => (
            <div key={i} style={{ flexGrow: column.weight }}>
              <CardBlocks blocks={column.blocks} {...form} />
            </div>
          ))}
        </div>
      )
    case 'buttons':
      return (
        <div class="card-buttons">
          {block.buttons.map((button) => (
            <CardButton key={button.id} button={button} message={form.message} form={form.form} />
          ))}
        </div>
      )
    case 'select':
      return <Select block={block} {...form} />
    case 'input':
      return <Input block={block} {...form} />
    default: {
      const never: never = block
      return never
    }
  }
}

function Fields({ fields }: { readonly fields: Extract<PlaygroundBlock, { type: 'fields' }>['fields'] }) {
  return (
    <dl class="card-fields">
      {fields.map(({ name, value }, i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface TableProps {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function CardTable({ columns, rows }: TableProps) {
  return (
    <div class="markdown table-scroll">
      <table>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CardButtonProps {
  readonly button: PlaygroundButton
  readonly message: PlaygroundMessage
  readonly form: Readonly<Record<string, string>>
}

function CardButton({ button, message, form }: CardButtonProps) {
  const { press } = useStore()
  const [pending, setPending] = useState(false)
  const href = button.url === undefined ? undefined : safeHref(button.url)
  if (href !== undefined) {
    return (
      <a class={`button ${button.style}`} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {button.text}
      </a>
    )
  }
  const onClick = async (): Promise<void> => {
    setPending(true)
    await press(message, button.id, form)
    setPending(false)
  }
  return (
    <button
      type="button"
      class={`button ${button.style} ${pending ? 'pending' : ''}`}
      disabled={button.disabled || pending}
      aria-busy={pending}
      onClick={() => void onClick()}
    >
      {button.text}
    </button>
  )
}

function Select({
  block,
  form,
  set,
}: { readonly block: Extract<PlaygroundBlock, { type: 'select' }> } & FormProps) {
  const t = useText()
  return (
    <label class="card-input">
      {block.label === '' ? null : <span>{block.label}</span>}
      <select
        aria-label={block.label || block.name}
        disabled={block.disabled}
        value={form[block.name] ?? ''}
        onChange={({ currentTarget }) => set(block.name, currentTarget.value)}
      >
        {block.options.some(({ value }) => value === block.initial) ? null : (
          <option value="">{t('select.placeholder')}</option>
        )}
        {block.options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function Input({
  block,
  form,
  set,
}: { readonly block: Extract<PlaygroundBlock, { type: 'input' }> } & FormProps) {
  const shared = {
    'aria-label': block.label || block.placeholder || block.name,
    placeholder: block.placeholder,
    disabled: block.disabled,
    value: form[block.name] ?? '',
  }
  const Box = block.multiline ? 'textarea' : 'input'
  return (
    <div class="card-input">
      {block.label === '' ? null : <span aria-hidden="true">{block.label}</span>}
      <Box {...shared} onInput={({ currentTarget }) => set(block.name, currentTarget.value)} />
    </div>
  )
}

function initialForm(blocks: readonly PlaygroundBlock[]): Record<string, string> {
  const form: Record<string, string> = {}
  for (const block of blocks) {
    if (block.type === 'select' || block.type === 'input') form[block.name] = block.initial
    if (block.type === 'panel') Object.assign(form, initialForm(block.blocks))
    if (block.type === 'columns')
      for (const { blocks: inner } of block.columns) Object.assign(form, initialForm(inner))
  }
  return form
}
