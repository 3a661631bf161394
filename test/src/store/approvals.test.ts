import { describe, expect, it } from 'vitest'
import { createApprovalRows } from '../../../src/store/repositories/approvals.ts'
import { rememberName } from '../../../src/store/repositories/people.ts'
import type { ApprovalRow } from '../../../src/store/schema.ts'
import { approvalRow } from '../../support/rows.ts'
import { openTestStore } from '../../support/store.ts'

const row = approvalRow()
const allow = { status: 'approved', scope: 'once', by: 'feishu:ou_2', name: null, reason: null } as const

async function rowsWith(...rows: Partial<ApprovalRow>[]) {
  const store = await openTestStore()
  const repository = createApprovalRows(store.db)
  for (const extra of rows) await repository.insert({ ...row, ...extra })
  return repository
}

describe('compare-and-set', () => {
  it('C6: the second decision changes nothing', async () => {
    const rows = await rowsWith({})
    expect(await rows.decide('a1', allow, 10)).toBe(true)
    expect(await rows.decide('a1', { ...allow, status: 'denied' }, 11)).toBe(false)
    expect(await rows.byId('a1')).toMatchObject({ status: 'approved', decided_at: 10 })
  })

  it('C7: decide and expire meet at expires_at and never overlap', async () => {
    const rows = await rowsWith({})
    expect(await rows.expire('a1', 999)).toBe(false)
    expect(await rows.decide('a1', allow, 1_000)).toBe(false)
    expect(await rows.expire('a1', 1_000)).toBe(true)
    expect(await rows.decide('a1', allow, 10)).toBe(false)
  })

  it('C11: consume needs the approved row and its digest, once', async () => {
    const rows = await rowsWith({})
    expect(await rows.consume('a1', 'd1', 5)).toBe(false)
    await rows.decide('a1', allow, 10)
    expect(await rows.consume('a1', 'd2', 11)).toBe(false)
    expect(await rows.consume('a1', 'd1', 12)).toBe(true)
    expect(await rows.consume('a1', 'd1', 13)).toBe(false)
    expect(await rows.cancel('a1', 'feishu:ou_1', null, 14)).toBe(false)
  })

  it('cancel takes back what waits and what is approved', async () => {
    const rows = await rowsWith({}, { id: 'a2', call_id: 'c2', code: 'ABC235' })
    await rows.decide('a2', allow, 10)
    expect(await rows.cancel('a1', 'feishu:ou_1', 'stop', 11)).toBe(true)
    expect(await rows.cancel('a2', 'feishu:ou_1', 'stop', 11)).toBe(true)
    expect(await rows.byId('a1')).toMatchObject({
      status: 'cancelled',
      reason: 'stop',
      decided_by: 'feishu:ou_1',
    })
  })

  it('cancel names who cancelled, and never who had allowed it before', async () => {
    const store = await openTestStore()
    const rows = createApprovalRows(store.db)
    await rememberName(store.db, 'feishu:ou_1', '张三', 1)
    for (const [id, by, name] of [
      ['a1', 'feishu:ou_1', '张三'],
      ['a2', 'feishu:ou_9', null],
    ] as const) {
      await rows.insert({ ...row, id, call_id: id, code: id })
      await rows.decide(id, { ...allow, name: '王芳' }, 10)
      await rows.cancel(id, by, null, 11)
      expect(await rows.byId(id)).toMatchObject({ decided_by: by, decided_name: name })
    }
  })
})

describe('finding', () => {
  it('by code: the pending row before an older settled one, within one bot', async () => {
    const rows = await rowsWith(
      { status: 'denied' },
      { id: 'a2', created_at: 2 },
      { id: 'a3', bot_id: 'oa', created_at: 3 },
    )
    expect((await rows.byCode('ops', 'ABC234'))?.id).toBe('a2')
    expect(await rows.byCode('ops', 'ZZZ222')).toBeUndefined()
  })

  it('refuses two pending rows with one code', async () => {
    await expect(rowsWith({}, { id: 'a2' })).rejects.toThrow(/unique/i)
  })

  it('by call: the newest; counts what waits; lists what is due', async () => {
    const rows = await rowsWith(
      { status: 'cancelled' },
      { id: 'a2', created_at: 2, code: 'ABC235' },
      { id: 'a3', call_id: 'c3', code: 'ABC236', expires_at: 500, chat_id: 'oc_2' },
    )
    expect((await rows.byCall('s1', 'c1'))?.id).toBe('a2')
    expect(await rows.countPending('ops', 'oc_1', 999)).toBe(1)
    expect(await rows.countPending('ops', 'oc_1', 1_000)).toBe(0)
    expect((await rows.due(500, 10)).map((one) => one.id)).toEqual(['a3'])
    expect((await rows.due(1_000, 10)).map((one) => one.id)).toEqual(['a3', 'a2'])
  })
})
