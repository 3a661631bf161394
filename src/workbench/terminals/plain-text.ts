/** What a terminal shows, as text: lines with their overwritten parts gone and no control codes left. */

/** Columns a program may jump to; a screen has 120. */
const MOST_COLUMNS = 1_000
const TAB = 8
/** OSC and other strings, CSI sequences with their parts, two-character escapes. */
const SEQUENCE = /\x1b(?:[\]PX^_][\s\S]*?(?:\x07|\x1b\\|$)|\[([0-?]*)[ -/]*([@-~])|[ -/]*[0-~])/y

interface Line {
  cells: string[]
  column: number
}

/** Plays the output on endless lines. Colours and titles go; carriage returns, backspaces and erasures count. */
export function plainText(raw: string): string {
  const done: string[] = []
  const line: Line = { cells: [], column: 0 }
  let at = 0
  while (at < raw.length) {
    const code = raw.codePointAt(at) ?? 0
    const char = String.fromCodePoint(code)
    if (code === 0x1b) {
      SEQUENCE.lastIndex = at
      const found = SEQUENCE.exec(raw)
      if (found?.[2] !== undefined && found[2] === 'J' && /^[23]/.test(found[1] ?? '')) newLine(done, line)
      else if (found?.[2] !== undefined) move(line, found[2], found[1] ?? '')
      at += found?.[0].length ?? 1
      continue
    }
    at += char.length
    if (char === '\n') newLine(done, line)
    else put(line, char, code)
  }
  return [...done, textOf(line)].join('\n')
}

function newLine(done: string[], line: Line): void {
  done.push(textOf(line))
  line.cells = []
  line.column = 0
}

function put(line: Line, char: string, code: number): void {
  if (char === '\r') line.column = 0
  else if (char === '\b') line.column = Math.max(0, line.column - 1)
  else if (char === '\t') line.column = Math.min(MOST_COLUMNS, (Math.floor(line.column / TAB) + 1) * TAB)
  else if (code >= 0x20 && code !== 0x7f && !(code >= 0x80 && code < 0xa0)) {
    pad(line)
    line.cells[line.column++] = char
  }
}

function move(line: Line, final: string, parts: string): void {
  const given = Number.parseInt(parts, 10)
  const count = Math.min(Number.isNaN(given) ? 1 : given, MOST_COLUMNS)
  if (final === 'C') line.column = Math.min(MOST_COLUMNS, line.column + count)
  else if (final === 'D') line.column = Math.max(0, line.column - count)
  else if (final === 'G') line.column = Math.max(0, count - 1)
  else if (final === 'P') line.cells.splice(line.column, count)
  else if (final === '@') line.cells.splice(line.column, 0, ...Array.from({ length: count }, () => ' '))
  else if (final === 'K') erase(line, parts)
}

function erase(line: Line, parts: string): void {
  if (parts === '2') line.cells = []
  else if (parts === '1') line.cells.fill(' ', 0, line.column + 1)
  else line.cells.length = Math.min(line.cells.length, line.column)
}

function pad(line: Line): void {
  while (line.cells.length < line.column) line.cells.push(' ')
}

function textOf(line: Line): string {
  return line.cells.join('').trimEnd()
}
