/** The report room with what it may read: configured sources, the store, approval apps of the bots. */
import { createTranslate } from '../locale/index.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { type Access, isListed } from '../policy/access.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import type { ApprovalsClient } from '../protocol/oa-approval.ts'
import type { Reports } from '../protocol/report.ts'
import { createPrinter } from '../report/export/pdf.ts'
import { createReports } from '../report/reports.ts'
import { type Allow, createSourceReader } from '../report/sources/reader.ts'
import { createWorkshop } from '../report/workshop.ts'
import type { HouseOptions } from './house.ts'

export interface HouseReports {
  readonly reports: Reports
  /** Ends the worker thread that draws charts. */
  close(): Promise<void>
}

interface Reader {
  readonly requester: UserKey
  readonly address: Address
}

/** The report room; the thread that draws charts starts with the first chart. */
export function buildReports(options: HouseOptions, access: Access): HouseReports {
  const { config, store, clock } = options
  const workshop = createWorkshop(clock)
  const mayRead = (allow: Allow, { requester, address }: Reader): boolean => {
    if (access.isAdmin(requester)) return true
    return allow !== 'admins' && isListed(allow, requester, address)
  }
  const reader = createSourceReader({
    ...{ config: config.reports, db: store.db, workshop, mayRead },
    fetch: createGuardedFetch({ allow: config.reports.allowHosts, clock }),
    companyApprovals: (who) => companyApprovals(options, access.isAdmin(who.requester)),
  })
  return {
    reports: createReports({
      ...{ saved: config.reports.saved, reader, workshop, font: config.reports.font, print: createPrinter() },
      text: createTranslate(config.locale),
    }),
    close: workshop.close,
  }
}

/** All forms are read at once, so only whoever may see all of them gets a client. */
function companyApprovals({ config, bots }: HouseOptions, isAdmin: boolean): ApprovalsClient[] {
  return config.bots.flatMap((bot) => {
    if (!('approvals' in bot) || !(isAdmin || bot.approvals.query === 'everyone')) return []
    const client = bots.adapter(bot.id)?.approvals
    return client === undefined ? [] : [client]
  })
}
