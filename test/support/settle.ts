/**
 * Counts queries on their way to PostgreSQL, and connections being made, for tests that run on it (`TEST_DATABASE`). The embedded
 * database answers within the turn of the event loop in which it is asked; one behind a socket does not, and a
 * clock that is moved by hand must not go on before it has.
 */
let underWay = 0
let isCounting = false

/** Longer than any query; one may wait for what the test does next, a lock that it holds. */
const PATIENCE_MS = 1_000

/** Lets everything happen that is on its way and waits for no time: promises, and what a database is asked. */
export async function settle(): Promise<void> {
  const began = performance.now()
  let wasAsked: boolean
  // What an answer sets going may ask again: it is over when nothing was asked before these turns, and nothing after.
  do {
    wasAsked = underWay > 0
    await turns()
  } while ((wasAsked || underWay > 0) && performance.now() - began < PATIENCE_MS)
}

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Counts from now on, in this process; once is enough. */
export async function countQueries(): Promise<void> {
  if (isCounting) return
  isCounting = true
  const { default: pg } = await import('pg')
  for (const [owner, name] of [
    [pg.Client.prototype, 'query'],
    [pg.Pool.prototype, 'connect'],
  ] as const) {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== 'function') throw new Error(`pg has no ${name} to be counted`)
    Reflect.set(owner, name, function counted(this: unknown, ...given: unknown[]): unknown {
      const answer: unknown = Reflect.apply(original, this, given)
      if (answer instanceof Promise) {
        underWay++
        void answer.catch(() => {}).finally(() => underWay--)
      }
      return answer
    })
  }
}
