import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAudit } from '../../../src/observability/audit.ts'
import type { CallAlert } from '../../../src/observability/call-alert.ts'
import { createMetrics } from '../../../src/observability/metrics.ts'
import { createKnownRedactor, createRedactor } from '../../../src/observability/redact.ts'
import { createToolCalls } from '../../../src/observability/tool-calls.ts'
import type { CallReport } from '../../../src/protocol/tool-calls.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { openTestStore } from '../../support/store.ts'

const call = (more: Partial<CallReport> = {}): CallReport => ({
  ...{ tool: 'grep', callId: 'c1', args: '{"pattern":"x"}', status: 'ok', ms: 10, characters: 20 },
  ...{ sessionId: 's1', runId: 'r1', requester: 'feishu:ou_1' },
  address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
  ...more,
})
const failed = (type = 'failed', message = 'disk on fire'): Partial<CallReport> => ({
  status: 'failed',
  error: { type, message, hint: 'wait' },
})

async function setup(secrets: readonly string[] = []) {
  const store = await openTestStore()
  const clock = createManualClock()
  const logger = createCollectingLogger()
  const audit = createAudit({ db: store.db, clock })
  const alerts: CallAlert[] = []
  let refusing = false
  const calls = createToolCalls({
    store: {
      transaction: (work) => (refusing ? Promise.reject(new Error('disk full')) : store.transaction(work)),
    },
    ...{ audit, clock, logger, salt: 'a secret of this start' },
    redact: createRedactor(secrets),
    redactKnown: createKnownRedactor(secrets),
    onAlert: (alert) => alerts.push(alert),
  })
  const report = (more: Partial<CallReport> = {}): void => calls.discipline.report(call(more))
  const refuse = (value: boolean): void => {
    refusing = value
  }
  return { store, clock, logger, audit, alerts, calls, report, refuse }
}

describe('the audit of tool calls', () => {
  it('article 34: a row for every call: who, what with which arguments, result, duration', async () => {
    const { audit, calls, report } = await setup(['s3cret-token-value'])
    report({ args: '{"pattern":"s3cret-token-value"}', ms: 12, characters: 345 })
    report({
      tool: 'shell',
      callId: 'c2',
      requester: 'wecom:wang',
      ...failed('timeout', 'too long'),
      ms: 30_000,
    })
    report({
      tool: 'shell',
      callId: 'c3',
      status: 'denied',
      error: { type: 'refused', message: 'no', hint: '' },
    })
    await calls.flush()
    const rows = (await audit.newest(9)).toReversed()
    expect(rows.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['feishu:ou_1', 'call.ended', 'c1'],
      ['wecom:wang', 'call.ended', 'c2'],
      ['feishu:ou_1', 'call.ended', 'c3'],
    ])
    expect(JSON.parse(rows[0]?.detail ?? '')).toEqual({
      ...{ session: 's1', run: 'r1', tool: 'grep', args: '{"pattern":"[redacted]"}', result: 'ok' },
      ...{ characters: 345, ms: 12 },
    })
    expect(JSON.parse(rows[1]?.detail ?? '')).toMatchObject({
      error: 'timeout',
      message: 'too long',
      ms: 30_000,
    })
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 3 })
  })

  it('rows are written together, a second later or a hundred at once, with the time of their call', async () => {
    const { audit, clock, report } = await setup()
    report()
    expect(await audit.newest(1)).toEqual([])
    await clock.advance(1_000)
    expect((await audit.newest(1))[0]?.at).toBe(clock.now() - 1_000)
    for (let i = 0; i < 100; i++) report({ callId: `many-${i}` })
    while ((await audit.newest(200)).length < 101) await new Promise((resolve) => setImmediate(resolve))
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 101 })
  })

  it('a database that cannot be written loses no row and stops no call', async () => {
    const { audit, clock, calls, report, refuse, logger } = await setup()
    refuse(true)
    report()
    await calls.flush()
    expect(logger.lines.map((line) => line.message)).toContain('audit rows of tool calls wait to be written')
    refuse(false)
    await clock.advance(1_000)
    while ((await audit.newest(1)).length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 1 })
  })

  it('long arguments are shortened', async () => {
    const { audit, calls, report } = await setup()
    report({ args: '字'.repeat(2_000) })
    await calls.flush()
    const detail = z.object({ args: z.string() }).parse(JSON.parse((await audit.newest(1))[0]?.detail ?? ''))
    expect(detail.args).toBe(`${'字'.repeat(500)}… (2000)`)
  })
})

describe('the statistics of tool calls', () => {
  it('article 39: count, duration, failures by tool, chat and person', async () => {
    const { calls, report } = await setup()
    const other = { botId: 'ops', chatId: 'oc_2', chatType: 'group' } as const
    for (let ms = 1; ms <= 100; ms++) report({ ms })
    report({ tool: 'shell', requester: 'feishu:ou_2', address: other, ...failed(), ms: 500 })
    report({ tool: 'shell', requester: 'feishu:ou_2', address: other, status: 'denied', ms: 0 })
    const all = calls.statistics()
    expect(all.total).toMatchObject({ count: 102, failures: 1, denied: 1, p50Ms: 51 })
    expect(all.tools).toEqual([
      { name: 'grep', count: 100, failures: 0, denied: 0, p50Ms: 50, p95Ms: 95 },
      { name: 'shell', count: 2, failures: 1, denied: 1, p50Ms: 500, p95Ms: 500 },
    ])
    expect(all.chats.map(({ name, count }) => [name, count])).toEqual([
      ['ops/oc_1', 100],
      ['ops/oc_2', 2],
    ])
    expect(all.people.map(({ name, count }) => [name, count])).toEqual([
      ['feishu:ou_1', 100],
      ['feishu:ou_2', 2],
    ])
    const one = calls.statistics('ops/oc_2')
    expect(one).toMatchObject({
      total: { count: 2 },
      chats: [],
      tools: [{ name: 'shell' }],
      people: [{ name: 'feishu:ou_2' }],
    })
  })

  it('percentiles follow the newest calls, and memory is bounded however many names there are', async () => {
    const { calls, report } = await setup()
    for (let i = 0; i < 300; i++) report({ ms: 1 })
    for (let i = 0; i < 256; i++) report({ ms: 100 })
    expect(calls.statistics().tools[0]).toMatchObject({ count: 556, p50Ms: 100 })
    for (let i = 0; i < 3_000; i++) report({ requester: `feishu:ou_${i}` })
    const { people } = calls.statistics()
    expect(people.length).toBeLessThan(2_000)
    expect(calls.statistics().total.count).toBe(3_556)
  })

  it('article 39: the numbers are at /metrics, by tool, chat and person, and hold no id of either', async () => {
    const { calls, report } = await setup()
    const metrics = createMetrics()
    metrics.toolFigures(() => calls.statistics())
    report({ ms: 40 })
    report({ ms: 60, ...failed() })
    report({ status: 'denied', ms: 0 })
    const { text } = await metrics.text()
    expect(text).toContain('yizhan_tool_quantile_seconds{tool="grep",quantile="0.95"} 0.06')
    expect(text).toContain('yizhan_tool_callers{kind="person"} 1')
    const { chats, people } = calls.statistics()
    for (const [kind, code] of [
      ['chat', chats[0]?.code],
      ['person', people[0]?.code],
    ]) {
      const labels = `kind="${kind}",code="${code}"`
      expect(code).toMatch(/^[0-9a-f]{8}$/)
      expect(text).toContain(`yizhan_tool_caller_calls{${labels},outcome="all"} 3`)
      expect(text).toContain(`yizhan_tool_caller_calls{${labels},outcome="failed"} 1`)
      expect(text).toContain(`yizhan_tool_caller_calls{${labels},outcome="denied"} 1`)
      expect(text).toContain(`yizhan_tool_caller_quantile_seconds{${labels},quantile="0.5"} 0.04`)
    }
    expect(text).not.toMatch(/oc_1|ou_1/)
  })

  it('article 39: /metrics shows the fifty chats and people that call most, however many there are', async () => {
    const { calls, report } = await setup()
    const metrics = createMetrics()
    metrics.toolFigures(() => calls.statistics())
    for (let i = 0; i < 200; i++) report({ requester: `feishu:ou_${i}` })
    const shown = (text: string) => text.match(/caller_calls\{kind="person",code="\w+",outcome="all"/g)
    expect(shown((await metrics.text()).text)).toHaveLength(50)
    for (let i = 100; i < 200; i++) report({ requester: `feishu:ou_${i}` })
    expect(shown((await metrics.text()).text)).toHaveLength(50)
  })
})

describe('alerts', () => {
  it('article 39: a tool that begins to fail is told once, with its latest reason', async () => {
    const { alerts, logger, report } = await setup()
    for (let i = 0; i < 40; i++) report()
    for (let i = 0; i < 9; i++) report(failed())
    expect(alerts).toEqual([
      { kind: 'failures', tool: 'grep', recent: 10, failures: 5, before: 0, reason: 'disk on fire' },
    ])
    expect(logger.lines.filter((line) => line.message === 'a tool got worse')).toHaveLength(1)
  })

  it('article 39: a tool that becomes slow is told', async () => {
    const { alerts, report } = await setup()
    for (let i = 0; i < 30; i++) report({ ms: 200 })
    for (let i = 0; i < 6; i++) report({ ms: 3_000 })
    expect(alerts).toEqual([{ kind: 'slow', tool: 'grep', recent: 10, nowMs: 3_000, beforeMs: 200 }])
  })

  it('wrong arguments, refusals, a tool that always fails, and fast calls that vary are no alarm', async () => {
    const { alerts, report } = await setup()
    for (let i = 0; i < 30; i++) report(failed(i % 2 ? 'invalid_argument' : 'not_found'))
    for (let i = 0; i < 30; i++) report({ status: 'denied' })
    for (let i = 0; i < 60; i++) report({ tool: 'glob', ms: i < 40 ? 5 : 400 })
    expect(alerts).toEqual([])
    for (let i = 0; i < 40; i++) report({ tool: 'web_fetch', ...failed() })
    expect(alerts).toHaveLength(1)
  })

  it('the same alarm comes back after half an hour if it is still so', async () => {
    const { alerts, clock, report } = await setup()
    for (let i = 0; i < 60; i++) report()
    for (let i = 0; i < 12; i++) report(failed())
    await clock.advance(31 * 60_000)
    for (let i = 0; i < 8; i++) report(failed())
    expect(alerts).toHaveLength(2)
  })
})
