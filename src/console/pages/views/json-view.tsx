import { useState } from 'preact/hooks'

/** Levels that are open at first, and entries of one level that are drawn at once. */
const OPEN_LEVELS = 3
const DRAWN_AT_ONCE = 100

interface JsonProps {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
}

/** JSON as a tree. Strings that hold JSON themselves, as platforms love to send, open as trees too. */
export function JsonView({ value, name, depth = 0 }: JsonProps) {
  const opened = typeof value === 'string' ? parsed(value) : value
  if (typeof opened === 'object' && opened !== null) {
    return (
      <Branch
        value={opened}
        packed={opened !== value}
        depth={depth}
        {...(name === undefined ? {} : { name })}
      />
    )
  }
  return (
    <div class="json-leaf">
      <Name name={name} />
      <span class={`json-${value === null ? 'null' : typeof value}`}>
        {JSON.stringify(value) ?? 'undefined'}
      </span>
    </div>
  )
}

interface BranchProps {
  readonly value: object
  /** True when it came as a string. */
  readonly packed: boolean
  readonly name?: string
  readonly depth: number
}

function Branch({ value, packed, name, depth }: BranchProps) {
  const [limit, setLimit] = useState(DRAWN_AT_ONCE)
  const entries = Object.entries(value)
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return (
    <details class="json-branch" open={depth < OPEN_LEVELS}>
      <summary>
        <Name name={name} />
        <span class="json-shape">
          {packed ? 'JSON ' : ''}
          {left}
          {entries.length}
          {right}
        </span>
      </summary>
      <div class="json-children">
        {entries.slice(0, limit).map(([key, child]) => (
          <JsonView key={key} value={child} name={key} depth={depth + 1} />
        ))}
        {entries.length > limit ? (
          <button type="button" class="quiet" onClick={() => setLimit(limit + DRAWN_AT_ONCE)}>
            … {entries.length - limit}
          </button>
        ) : null}
      </div>
    </details>
  )
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span class="json-name">{name}: </span>
}

function parsed(text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    // Text that only begins like JSON stays text.
    return text
  }
}
