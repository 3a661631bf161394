/** All migrations in order. Forward only; those of one start run in one transaction. */
import type { Migration } from 'kysely/migration'
import type { StoreDialect } from '../dialects/dialect.ts'
import { initial } from './0001-initial.ts'
import { schedules } from './0002-schedules.ts'
import { memory } from './0003-memory.ts'
import { mcp } from './0004-mcp.ts'
import { video } from './0005-video.ts'
import { workbench } from './0006-workbench.ts'
import { ownership } from './0007-ownership.ts'
import { quiet } from './0008-quiet.ts'
import { waiting } from './0009-waiting.ts'
import { muteOrder } from './0010-mute-order.ts'
import { spending } from './0011-spending.ts'
import { spendingDays } from './0012-spending-days.ts'
import { messageTimes } from './0013-message-times.ts'

export function migrations(dialect: StoreDialect): Record<string, Migration> {
  return {
    '0001-initial': initial(dialect),
    '0002-schedules': schedules,
    '0003-memory': memory(dialect),
    '0004-mcp': mcp,
    '0005-video': video,
    '0006-workbench': workbench,
    '0007-ownership': ownership,
    '0008-quiet': quiet,
    '0009-waiting': waiting,
    '0010-mute-order': muteOrder,
    '0011-spending': spending,
    '0012-spending-days': spendingDays,
    '0013-message-times': messageTimes(dialect),
  }
}
