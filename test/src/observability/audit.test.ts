import { describe, expect, it } from 'vitest'
import { createAudit } from '../../../src/observability/audit.ts'
import { createManualClock } from '../../support/clock.ts'
import { openTestStore } from '../../support/store.ts'

async function openAudit(count: number) {
  const store = await openTestStore()
  const audit = createAudit({ db: store.db, clock: createManualClock() })
  for (let i = 0; i < count; i++) {
    await store.transaction((trx) =>
      audit.append(trx, { actor: 'system', action: 'test.done', subject: `s${i}`, detail: { i } }),
    )
  }
  return { store, audit }
}

describe('audit chain', () => {
  it('given an untouched chain, then it verifies and names its head', async () => {
    const { audit } = await openAudit(3)
    const [newest] = await audit.newest(1)
    expect(await audit.verify()).toEqual({ ok: true, rows: 3, head: newest?.hash })
    expect(newest).toMatchObject({ actor: 'system', action: 'test.done', subject: 's2', detail: '{"i":2}' })
  })

  it('given no rows, then it verifies', async () => {
    expect(await (await openAudit(0)).audit.verify()).toEqual({ ok: true, rows: 0, head: '0'.repeat(64) })
  })

  it.each([
    ['actor', { actor: 'feishu:ou_x' }],
    ['action', { action: 'other' }],
    ['subject', { subject: 'other' }],
    ['detail', { detail: '{}' }],
    ['time', { at: 1 }],
    ['previous hash', { previous: 'a'.repeat(64) }],
  ])('finds a changed %s at its row', async (_name, change) => {
    const { store, audit } = await openAudit(4)
    await store.db.updateTable('audit').set(change).where('subject', '=', 's1').execute()
    expect(await audit.verify()).toEqual({ ok: false, rows: 1, brokenAt: 2 })
  })

  it('finds a row that was taken out', async () => {
    const { store, audit } = await openAudit(4)
    await store.db.deleteFrom('audit').where('subject', '=', 's1').execute()
    expect(await audit.verify()).toEqual({ ok: false, rows: 1, brokenAt: 3 })
  })

  it('walks more than one page', async () => {
    expect(await (await openAudit(501)).audit.verify()).toMatchObject({ ok: true, rows: 501 })
  })

  it('stays one chain when many append at once', async () => {
    const { store, audit } = await openAudit(0)
    const append = (i: number) =>
      store.transaction((trx) => audit.append(trx, { actor: 'a', action: 'b', subject: `${i}`, detail: {} }))
    await Promise.all(Array.from({ length: 50 }, (_, i) => append(i)))
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 50 })
  })

  it('R41: a row that rolls back with its effect leaves no gap', async () => {
    const { store, audit } = await openAudit(1)
    const failing = store.transaction(async (trx) => {
      await audit.append(trx, { actor: 'a', action: 'b', subject: 'c', detail: {} })
      throw new Error('the effect failed')
    })
    await expect(failing).rejects.toThrow('the effect failed')
    expect(await audit.verify()).toMatchObject({ ok: true, rows: 1 })
  })
})
