/**
 * Statements that are written once and executed often. Building and compiling a statement costs several times
 * what the database needs to run it, so each is compiled once per database, with named parameters in the
 * places of its values; an execution brings the values and nothing else. Constants of the statement become
 * part of its text, so that the database sees which partial index they choose.
 */
import {
  BinaryOperationNode,
  type Compilable,
  type CompiledQuery,
  type KyselyPlugin,
  OperationNodeTransformer,
  OperatorNode,
  PrimitiveValueListNode,
  ValueNode,
} from 'kysely'
import { hasShortcut } from './dialects/dialect.ts'
import type { Db } from './store.ts'

/**
 * A statement with the parameters `P`, over any database and in any transaction; not over a connection that
 * somebody holds by itself, for which it would wait.
 */
export interface Prepared<P extends object, Row> {
  all(db: Db, parameters: P): Promise<Row[]>
  first(db: Db, parameters: P): Promise<Row | undefined>
  /** How many rows it changed. */
  run(db: Db, parameters: P): Promise<number>
}

/**
 * @param build writes the statement with Kysely; called once per database. Its second argument has the place
 *   of a parameter under every name: it stands for a whole value, and cannot be looked at or calculated with.
 */
export function prepare<P extends object, Row>(
  build: (db: Db, parameters: P) => Compilable<Row>,
): Prepared<P, Row> {
  const texts = new WeakMap<object, Text<P, Row>>()
  const execute = (db: Db, parameters: P) => {
    // Transactions and connections of one database share its adapter: their texts are the same.
    const { adapter } = db.getExecutor()
    let text = texts.get(adapter)
    if (!text) {
      text = compile(db, build)
      texts.set(adapter, text)
    }
    const { query, queryId, sql } = text.query
    const bound = { query, queryId, sql, parameters: text.bind(parameters) }
    if (hasShortcut(adapter) && !db.isTransaction) return adapter.execute<Row>(bound)
    return db.executeQuery<Row>(bound)
  }
  return {
    all: async (db, parameters) => (await execute(db, parameters)).rows,
    first: async (db, parameters) => (await execute(db, parameters)).rows[0],
    run: async (db, parameters) => Number((await execute(db, parameters)).numAffectedRows ?? 0n),
  }
}

interface Text<P, Row> {
  readonly query: CompiledQuery<Row>
  bind(parameters: P): unknown[]
}

function compile<P extends object, Row>(
  db: Db,
  build: (db: Db, parameters: P) => Compilable<Row>,
): Text<P, Row> {
  const query = build(db.withPlugin(oneText), places<P>()).compile()
  const values = query.parameters.map((value) =>
    value instanceof Place ? { name: value.name } : { name: undefined, value },
  )
  return {
    query,
    bind: (parameters) =>
      values.map((one) => {
        const value: unknown = one.name === undefined ? one.value : Reflect.get(parameters, one.name)
        if (value === undefined) throw new TypeError(`no value for ${String(one.name)} of: ${query.sql}`)
        return value
      }),
  }
}

/** Where a value will be. */
class Place {
  readonly name: string | symbol

  constructor(name: string | symbol) {
    this.name = name
  }

  /** Whoever would make a part of the text from it is stopped: it would be the same text for every value. */
  [Symbol.toPrimitive](): never {
    throw new TypeError(`${String(this.name)} is the place of a parameter: its value is not known here`)
  }

  toJSON(): never {
    return this[Symbol.toPrimitive]()
  }
}

/** An object with a place under every name; a builder puts it where a value of that type belongs. */
function places<P extends object>(): P {
  return new Proxy({}, { get: (_, name) => new Place(name) }) as P
}

class OneText extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return node.value instanceof Place ? node : ValueNode.createImmediate(node.value)
  }

  /**
   * `x = ?` becomes `x in (?)`, which means the same. For an equality that stands beside an ORDER BY, SQLite
   * looks at the value while it plans, and so plans the statement anew in every execution.
   */
  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const { leftOperand, operator, rightOperand } = super.transformBinaryOperation(node)
    const isEquality = OperatorNode.is(operator) && operator.operator === '='
    if (!isEquality || !ValueNode.is(rightOperand) || !(rightOperand.value instanceof Place))
      return BinaryOperationNode.create(leftOperand, operator, rightOperand)
    const list = PrimitiveValueListNode.create([rightOperand.value])
    return BinaryOperationNode.create(leftOperand, OperatorNode.create('in'), list)
  }
}

const transformer = new OneText()
const oneText: KyselyPlugin = {
  transformQuery: ({ node }) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
}
