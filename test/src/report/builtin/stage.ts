/** The built-in reports over two days of records, as a chat sees them. */
import { afterAll, beforeAll } from 'vitest'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { Address } from '../../../../src/protocol/address.ts'
import type { ApprovalsClient } from '../../../../src/protocol/oa-approval.ts'
import type { ReportContext, Reports } from '../../../../src/protocol/report.ts'
import { createReports } from '../../../../src/report/reports.ts'
import { createSourceReader } from '../../../../src/report/sources/reader.ts'
import { createWorkshop } from '../../../../src/report/workshop.ts'
import type { Store } from '../../../../src/store/store.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { openTestStore } from '../../../support/store.ts'
import { AT, writeRecords } from './records.ts'

const text = createTranslate('zh-CN')
const clock = createSystemClock()
const config = { sources: {}, rows: 1_000, megabytes: 16, seconds: 30 }

const chat = (chatId: string): Address => ({ botId: 'ops', chatId, chatType: 'group' })

/** The context of a report that somebody asks for in a chat on Monday morning. */
export const context = (
  requester: ReportContext['requester'] = 'feishu:ou_admin',
  chatId = 'oc_1',
): ReportContext => ({
  ...{ at: AT, timezone: 'Asia/Shanghai', locale: 'zh-CN', text, clock, logger: createCollectingLogger() },
  ...{ address: chat(chatId), requester, signal: AbortSignal.timeout(60_000) },
})

/** For a file of tests: two days of records, read by the reports. */
export function reportStage() {
  const workshop = createWorkshop(clock)
  let store: Store
  beforeAll(async () => {
    store = await openTestStore()
    await writeRecords(store)
  })
  afterAll(async () => {
    await workshop.close()
    await store.close()
  })
  /** The report room, with these approval services of the company behind it. */
  const reports = (clients: readonly ApprovalsClient[] = []): Reports => {
    const reader = createSourceReader({
      ...{ config, db: store.db, workshop, companyApprovals: () => clients },
      fetch: async () => ({ status: 500, body: new Uint8Array() }),
      mayRead: (_, { requester }) => requester === 'feishu:ou_admin',
    })
    const print = async (): Promise<Uint8Array> => new Uint8Array()
    return createReports({ saved: {}, reader, workshop, font: undefined, print, text })
  }
  return {
    reports,
    /** The lines of a report. */
    shown: async (
      name: string,
      params: object = {},
      ctx = context(),
      clients: readonly ApprovalsClient[] = [],
    ): Promise<string[]> => (await reports(clients).render(name, { ...params }, ctx)).markdown.split('\n'),
  }
}
