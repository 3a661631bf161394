import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { buildToolCalls } from '../../../src/house/tool-calls.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createAudit } from '../../../src/observability/audit.ts'
import { createMetrics } from '../../../src/observability/metrics.ts'
import type { CallReport } from '../../../src/protocol/tool-calls.ts'
import type { NewOutboxRow } from '../../../src/store/repositories/outbox.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { openTestStore } from '../../support/store.ts'

describe('an alert about a tool', () => {
  it('article 39: goes into the direct chat of an administrator, in words, and into the log', async () => {
    const store = await openTestStore()
    const clock = createManualClock()
    const logger = createCollectingLogger()
    const direct = { botId: 'ops', chatId: 'oc_admin', chatType: 'direct' } as const
    const session = await ensureSession(store.db, direct, 1)
    const run = {
      id: 'r1',
      sessionId: session.id,
      requester: 'feishu:ou_admin',
      replyTo: undefined,
      model: 'demo',
    }
    await insertRun(store.db, run, 1)
    const sent: NewOutboxRow[] = []
    const flushed: string[] = []
    const options = {
      config: configSchema.parse({
        bots: [{ id: 'ops', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 's' }],
        access: { admins: ['feishu:ou_admin', 'feishu:ou_absent'] },
      }),
      bots: { text: () => createTranslate('zh-CN') },
      ...{ store, clock, logger, random: createSeededRandom() },
    }
    const calls = buildToolCalls({
      options,
      audit: createAudit({ db: store.db, clock }),
      outbox: {
        put: async (_db, row) => void sent.push(row),
        flush: (chat) => void flushed.push(chat),
      },
      metrics: createMetrics(),
    })
    const call: CallReport = {
      ...{ tool: 'web_fetch', callId: 'c', args: '{}', status: 'failed', ms: 5, characters: 4 },
      ...{ sessionId: 's', runId: 'r', requester: 'feishu:ou_1' },
      error: { type: 'failed', message: '对方没有回应', hint: '' },
      address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
    }
    for (let i = 0; i < 10; i++) calls.discipline.report(call)
    while (flushed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      address: direct,
      payload: {
        message: {
          markdown:
            '⚠ 工具 web_fetch 最近 10 次调用失败了 10 次，此前的失败率是 0%。最近一次的原因：对方没有回应。详情见服务日志。',
        },
      },
    })
    expect(logger.lines.map((line) => line.message)).toContain('a tool got worse')
  })
})
