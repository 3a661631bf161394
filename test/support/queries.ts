/**
 * Counts queries that are on their way to PostgreSQL, for tests that run on it (`TEST_DATABASE`). The embedded
 * database answers within the turn of the event loop in which it is asked; one behind a socket does not, and a
 * clock that is moved by hand must not go on before it has.
 */
let underWay = 0
let isCounting = false

/** True while a query has not been answered. */
export function isDatabaseAsked(): boolean {
  return underWay > 0
}

/** Counts from now on, in this process; once is enough. */
export async function countQueries(): Promise<void> {
  if (isCounting) return
  isCounting = true
  const { default: pg } = await import('pg')
  const { prototype } = pg.Client
  const original: (...given: unknown[]) => unknown = prototype.query
  const counted = function query(this: unknown, ...given: unknown[]): unknown {
    const answer = original.apply(this, given)
    if (answer instanceof Promise) {
      underWay++
      void answer.catch(() => {}).finally(() => underWay--)
    }
    return answer
  }
  Reflect.set(prototype, 'query', counted)
}
