/** Verifies the audit chain and prints its newest rows. */
import { dataDirOf } from '../config/data-dir.ts'
import { createAudit } from '../observability/audit.ts'
import { createZoneTime } from '../protocol/zone-time.ts'
import { openStore } from '../store/store.ts'
import type { Command } from './command.ts'
import { setUp } from './setup.ts'

const ROWS_SHOWN = 20

export const audit: Command = async (input) => {
  const { loaded, logger, clock } = setUp(input, { level: 'warn', needs: ['dataDir', 'database'] })
  const { database, calendar } = loaded.config
  const zone = createZoneTime(calendar.timezone)
  const store = await openStore({ dataDir: dataDirOf(loaded.config), database, logger, older: 'read' })
  try {
    const chain = createAudit({ db: store.db, clock })
    const verdict = await chain.verify()
    for (const row of (await chain.newest(ROWS_SHOWN)).reverse()) {
      process.stdout.write(
        `${zone.show(row.at)}  ${row.actor}  ${row.action}  ${row.subject}  ${row.detail}\n`,
      )
    }
    if (verdict.ok)
      process.stdout.write(`${input.text('cli.audit.intact', { rows: verdict.rows, head: verdict.head })}\n`)
    else {
      process.stdout.write(
        `${input.text('cli.audit.broken', { row: verdict.brokenAt, rows: verdict.rows })}\n`,
      )
      process.exitCode = 1
    }
  } finally {
    await store.close()
  }
}
