/**
 * The small language of `ax_script`: one order a line, each of a fixed form, nothing that could run code.
 *
 *   open mousepad notes.txt
 *   tree
 *   find role "push button" name "保存"
 *   click #12                      click role "menu item" name "New"
 *   do "activate" #12
 *   set #12 "新的内容"
 *   read #12
 *   focus role "text"
 */
import { AppError } from '../../protocol/errors.ts'

export interface Order {
  readonly do: 'open' | 'tree' | 'find' | 'click' | 'do' | 'set' | 'read' | 'focus'
  readonly program?: string
  readonly file?: string
  /** Number of an element in the newest tree. */
  readonly element?: number
  readonly role?: string
  readonly name?: string
  readonly action?: string
  readonly value?: string
}

const MAX_ORDERS = 20
const FORMS =
  'open <program> [file] · tree · find role "…" name "…" · click <element> · do "<action>" <element> · ' +
  'set <element> "<text>" · read <element> · focus <element>; an element is #number of the newest tree, or role "…" and/or name "…"'

/** Parses a script; rejects with `tool.invalid_argument` that names the line and the forms there are. */
export function parseScript(script: string): Order[] {
  const lines = script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0 || lines.length > MAX_ORDERS) {
    throw wrong(`a script has 1 to ${MAX_ORDERS} orders, this one has ${lines.length}`)
  }
  return lines.map((line, at) => {
    const order = parseOrder(words(line, at + 1))
    if (!order) throw wrong(`line ${at + 1} is no order: ${line.slice(0, 120)}`)
    return order
  })
}

interface Word {
  readonly text: string
  readonly quoted: boolean
}

/** Words of a line; a quoted one is JSON, so that any character can be written. */
function words(line: string, at: number): Word[] {
  const found: Word[] = []
  let rest = line
  while (rest !== '') {
    const match = /^(?:("(?:[^"\\]|\\.)*")|([^\s"]+))\s*/.exec(rest)
    if (!match) throw wrong(`line ${at}: a quotation mark is not closed`)
    found.push(match[1] === undefined ? { text: match[2] ?? '', quoted: false } : unquoted(match[1], at))
    rest = rest.slice(match[0].length)
  }
  return found
}

function unquoted(json: string, at: number): Word {
  try {
    return { text: String(JSON.parse(json)), quoted: true }
  } catch {
    throw wrong(`line ${at}: ${json.slice(0, 60)} is not a legal quotation`)
  }
}

function parseOrder([verb, ...rest]: readonly Word[]): Order | undefined {
  if (!verb || verb.quoted) return undefined
  switch (verb.text) {
    case 'tree':
      return rest.length === 0 ? { do: 'tree' } : undefined
    case 'open': {
      const [program, file, ...more] = rest
      if (!program || more.length > 0) return undefined
      return { do: 'open', program: program.text, ...(file ? { file: file.text } : {}) }
    }
    case 'do': {
      const [action, ...of] = rest
      const element = parseElement(of)
      return action?.quoted && element ? { do: 'do', action: action.text, ...element } : undefined
    }
    case 'set': {
      const value = rest.at(-1)
      const element = parseElement(rest.slice(0, -1))
      return value?.quoted && element ? { do: 'set', value: value.text, ...element } : undefined
    }
    case 'find':
    case 'click':
    case 'read':
    case 'focus': {
      const element = parseElement(rest)
      return element && { do: verb.text, ...element }
    }
    default:
      return undefined
  }
}

function parseElement(rest: readonly Word[]): Pick<Order, 'element' | 'role' | 'name'> | undefined {
  const [first] = rest
  const id = first && !first.quoted ? /^#(\d{1,6})$/.exec(first.text)?.[1] : undefined
  if (id !== undefined) return rest.length === 1 ? { element: Number(id) } : undefined
  const found: { role?: string; name?: string } = {}
  for (let at = 0; at < rest.length; at += 2) {
    const key = rest[at]
    const value = rest[at + 1]
    if (!value?.quoted || key?.quoted !== false || (key.text !== 'role' && key.text !== 'name'))
      return undefined
    found[key.text] = value.text
  }
  return rest.length > 0 ? found : undefined
}

function wrong(what: string): AppError {
  return new AppError('tool.invalid_argument', `ax_script: ${what}.`, {
    hint: `Orders, one a line: ${FORMS}.`,
  })
}
