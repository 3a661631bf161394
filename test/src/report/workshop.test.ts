import { describe, expect, it } from 'vitest'
import { createWorkshop } from '../../../src/report/workshop.ts'
import type { Work } from '../../../src/report/workshop-work.ts'
import { descendants } from '../../../src/sandbox/process-tree.ts'
import { createManualClock } from '../../support/clock.ts'

const csv: Work & { type: 'read_csv' } = {
  ...{ type: 'read_csv', bytes: Buffer.from('a\n1\n2'), encoding: 'auto', rows: 10, maxBytes: 1_000 },
}
const table = { columns: ['a'], rows: [['1'], ['2']] }
const never = (): AbortSignal => new AbortController().signal

const children = (): number[] => descendants(process.pid)

describe('the workshop', () => {
  it('works in a process of its own, of which nothing is left when it ends', async () => {
    const before = new Set(children())
    const clock = createManualClock()
    const workshop = createWorkshop(clock)
    await workshop.do(csv, never())
    expect(children().filter((pid) => !before.has(pid))).toHaveLength(1)

    await clock.advance(60_000)
    await expect.poll(() => children().filter((pid) => !before.has(pid))).toEqual([])
    await workshop.close()
  })

  it('a process that is killed fails its piece, and the next piece gets another one', async () => {
    const before = new Set(children())
    const workshop = createWorkshop(createManualClock())
    await workshop.do(csv, never())
    const [first = 0] = children().filter((pid) => !before.has(pid))
    process.kill(first, 'SIGSTOP')
    const failed = expect(workshop.do(csv, never())).rejects.toMatchObject({ code: 'report.workshop_failed' })
    process.kill(first, 'SIGKILL')

    await failed
    expect(await workshop.do(csv, never())).toEqual(table)
    await workshop.close()
  })

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

  it('a piece that fails leaves the process to the next one', async () => {
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

  it('a piece that takes too long is ended with its process', async () => {
    const clock = createManualClock()
    const workshop = createWorkshop(clock)
    // The process has not even started when the time is up.
    const working = workshop.do(csv, never())
    const failed = expect(working).rejects.toMatchObject({ code: 'report.workshop_failed' })

    await clock.advance(60_000)
    await failed
    await workshop.close()
  })

  it('work that nobody waits for any more is not begun', async () => {
    const workshop = createWorkshop(createManualClock())
    await expect(workshop.do(csv, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    await workshop.close()
  })
})
