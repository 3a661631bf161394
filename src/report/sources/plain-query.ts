/**
 * Refuses every statement that is not one plain query. The connection is read-only as well; this guard
 * is for what a read-only connection still lets through (files of the server, sleeping, other
 * databases) and for telling the writer what is wrong and where.
 */
import { createRequire } from 'node:module'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'

export type SqlDialect = 'postgresql' | 'mysql' | 'sqlite'

const EXAMPLE = 'SELECT 部门, SUM(金额) AS 金额 FROM 销售 WHERE 日期 >= :from AND 日期 < :to GROUP BY 部门'

/**
 * Looked for in the raw text, in quotes or not: parsers and servers may disagree about where a string
 * ends, and a name that stands there by chance is not worth that risk.
 */
const REFUSED_CALLS =
  /\b(pg_(?!typeof|size_pretty|total_relation_size|relation_size|table_size|database_size)\w+|lo_\w+|dblink\w*|(?:query|table|schema|database|cursor)_to_xml\w*|set_config|nextval|setval|load_file|load_extension|readfile|writefile|edit|fts3_tokenizer|sleep|benchmark|get_lock|is_free_lock|release_\w*locks?|sys_exec|sys_eval|master_pos_wait|xmltable_from_file)["`\]]*\s*\(/i
const REFUSED_WORDS =
  /\binto\s+(?:outfile|dumpfile)\b|\bfor\s+(?:no\s+key\s+)?(?:update|share|key\s+share)\b|\block\s+in\s+share\b|\bu&["']/i

/** Grammars to try, in order: SQLite's own knows no Chinese names without quotes. */
const GRAMMARS: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: ['postgresql'],
  mysql: ['mysql', 'mariadb'],
  sqlite: ['sqlite', 'postgresql', 'mysql'],
}

interface Syntax {
  readonly line: number
  readonly column: number
}

/** Throws `report.sql_syntax` or `report.sql_refused` unless the text is one SELECT. */
export function assertPlainQuery(query: string, dialect: SqlDialect): void {
  const word = REFUSED_CALLS.exec(query)?.[1] ?? REFUSED_WORDS.exec(query)?.[0]
  if (word !== undefined) throw refused(word)
  // MySQL runs /*! … */ and reads "--1" as minus minus one; no parser of ours would see the same.
  if (dialect === 'mysql' && /\/\*|--|#/.test(query)) throw refused('/* -- #')
  const statements = parse(query, dialect)
  if (statements.length !== 1) throw refused(';')
  const strange = strangerIn(statements[0])
  if (strange !== undefined) throw refused(strange)
}

function parse(query: string, dialect: SqlDialect): unknown[] {
  let furthest: Syntax = { line: 1, column: 1 }
  for (const grammar of GRAMMARS[dialect]) {
    const parser = parserOf(grammar)
    try {
      const { ast } = parser.parse(query, { database: grammar })
      return Array.isArray(ast) ? ast : [ast]
    } catch (error) {
      const place = placeOf(error)
      if (place.line > furthest.line || (place.line === furthest.line && place.column > furthest.column)) {
        furthest = place
      }
    }
  }
  throw syntaxError(query, furthest)
}

const require = createRequire(import.meta.url)
const grammarModule = z.object({
  Parser: z.custom<new () => SqlParser>((value) => typeof value === 'function'),
})

interface SqlParser {
  parse(sql: string, options: { database: string }): { ast: unknown }
}

/** Each grammar is a module of its own, 10–20 ms to load at its first use. */
function parserOf(grammar: string): SqlParser {
  const { Parser } = grammarModule.parse(require(`node-sql-parser/build/${grammar}.js`))
  return new Parser()
}

/** The first thing in a syntax tree that a plain query does not have: a word for the message. */
function strangerIn(node: unknown): string | undefined {
  if (Array.isArray(node)) return node.map(strangerIn).find((found) => found !== undefined)
  if (typeof node !== 'object' || node === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(node))
  const into = fields.get('into')
  if (typeof into === 'object' && into !== null && 'position' in into && into.position !== null) return 'INTO'
  if (fields.get('locking_read')) return 'FOR UPDATE'
  // Statements are the nodes that carry `with` or a table list; expressions have types of their own.
  const type = fields.get('type')
  if (typeof type === 'string' && STATEMENTS.has(type)) return type.toUpperCase()
  return strangerIn([...fields.values()])
}

const STATEMENTS = new Set(
  'insert replace update delete create alter drop truncate rename call set use lock unlock grant revoke transaction exec execute explain desc show analyze attach pragma copy load comment declare do merge vacuum reindex'.split(
    ' ',
  ),
)

function placeOf(error: unknown): Syntax {
  const start = Object(Object(Object(error).location).start)
  const [line, column] = [Number(start.line), Number(start.column)]
  return line > 0 && column > 0 ? { line, column } : { line: 1, column: 1 }
}

function syntaxError(query: string, { line, column }: Syntax): AppError {
  const near = (query.split('\n')[line - 1] ?? '').slice(Math.max(0, column - 1), column + 19).trim()
  return new AppError('report.sql_syntax', `line ${line}, column ${column}: not understood near "${near}"`, {
    hint: `Write one SELECT, for example: ${EXAMPLE}`,
    params: { line, column, near: near === '' ? '…' : near, example: EXAMPLE },
  })
}

function refused(word: string): AppError {
  return new AppError('report.sql_refused', `reports may only read: ${word} is not allowed`, {
    hint: `Write one SELECT without it, for example: ${EXAMPLE}`,
    params: { word, example: EXAMPLE },
  })
}
