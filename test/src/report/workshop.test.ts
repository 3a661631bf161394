import { describe, expect, it } from 'vitest'
import { createWorkshop } from '../../../src/report/workshop.ts'
import type { Work } from '../../../src/report/workshop-work.ts'
import { createManualClock } from '../../support/clock.ts'

const csv: Work & { type: 'read_csv' } = {
  ...{ type: 'read_csv', bytes: Buffer.from('a\n1\n2'), encoding: 'auto', rows: 10, maxBytes: 1_000 },
}
const table = { columns: ['a'], rows: [['1'], ['2']] }
const never = (): AbortSignal => new AbortController().signal

describe('the workshop', () => {
  it('does pieces of work one after the other', async () => {
    const workshop = createWorkshop(createManualClock())

    expect(await Promise.all([workshop.do(csv, never()), workshop.do(csv, never())])).toEqual([table, table])
    await workshop.close()
  })

  it('ends after a quiet minute and starts again for the next piece', async () => {
    const clock = createManualClock()
    const workshop = createWorkshop(clock)
    await workshop.do(csv, never())
    expect(clock.pending()).toBe(1)

    await clock.advance(60_000)
    expect(clock.pending()).toBe(0)
    expect(await workshop.do(csv, never())).toEqual(table)
    await workshop.close()
    expect(clock.pending()).toBe(0)
  })

  it('a piece that fails leaves the thread to the next one', async () => {
    const workshop = createWorkshop(createManualClock())
    const broken: Work = {
      type: 'read_sheet',
      bytes: Buffer.from('PK\u0003\u0004'),
      sheet: undefined,
      rows: 1,
      maxBytes: 1,
    }

    await expect(workshop.do(broken, never())).rejects.toMatchObject({ code: 'report.workshop_failed' })
    expect(await workshop.do(csv, never())).toEqual(table)
    await workshop.close()
  })

  it('a piece that takes too long is ended with its thread', async () => {
    const clock = createManualClock()
    const workshop = createWorkshop(clock)
    // The thread has not even started when the time is up.
    const working = workshop.do(csv, never())
    const failed = expect(working).rejects.toMatchObject({ code: 'report.workshop_failed' })

    await clock.advance(30_000)
    await failed
    await workshop.close()
  })

  it('work that nobody waits for any more is not begun', async () => {
    const workshop = createWorkshop(createManualClock())
    await expect(workshop.do(csv, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    await workshop.close()
  })
})
