/** Runs on a file system of a few megabytes: fills it, and tells as JSON what the store does. */
import { closeSync, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { insertInbox } from '../../../src/store/repositories/inbox.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { codeOf, row } from './inbox-row.ts'

const [dataDir = ''] = process.argv.slice(2)
const filler = join(dataDir, 'filler')
const ballast = join(dataDir, 'ballast')

/** Writes until nothing fits any more, down to the last piece of a page. */
function fill(): void {
  const file = openSync(filler, 'a')
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {
      // No space is left on the device.
    }
  }
  closeSync(file)
}

const store: Store = await openStore({ dataDir, logger: createCollectingLogger() })
let rows = 0
const write = (bytes: number): Promise<string | undefined> =>
  codeOf(store.transaction((trx) => insertInbox(trx, [row(`r${rows++}`, 'x'.repeat(bytes))])))
const count = async (): Promise<number> => (await store.db.selectFrom('inbox').select('id').execute()).length

fill()
const whenFull = await write(100_000)
const reserveGiven = !existsSync(ballast)
const intoReserve = await write(100_000)
fill()
const whenAllIsFull = await write(100_000)
const probe = await codeOf(store.probe())
const kept = await count()
rmSync(filler)
const afterwards = await write(100_000)
await store.probe()
const { rows: check } = await sql<{ quick_check: string }>`pragma quick_check`.execute(store.db)
const result = {
  ...{ whenFull, reserveGiven, intoReserve, whenAllIsFull, probe, kept, afterwards },
  stored: await count(),
  reserve: statSync(ballast).size,
  check: check[0]?.quick_check,
}
await store.close()
process.stdout.write(JSON.stringify(result))
