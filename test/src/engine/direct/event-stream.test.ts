import { describe, expect, it } from 'vitest'
import { asEvents } from '../../../../src/engine/direct/event-stream.ts'

const nothing = (): void => undefined

describe('events of parallel work', () => {
  it('come in the order of their emission, and the emitter waits for the reader', async () => {
    const log: string[] = []
    const stream = asEvents<number>(async (emit) => {
      await Promise.all([emit(1), emit(2)])
      log.push('both taken')
      await emit(3)
    }, nothing)
    expect((await stream.next()).value).toBe(1)
    expect(log).toEqual([])
    expect((await stream.next()).value).toBe(2)
    expect((await stream.next()).value).toBe(3)
    expect((await stream.next()).done).toBe(true)
    expect(log).toEqual(['both taken'])
  })

  it('end with the error of the work, after its events', async () => {
    const stream = asEvents<number>(async (emit) => {
      await emit(1)
      throw new Error('broken')
    }, nothing)
    expect((await stream.next()).value).toBe(1)
    await expect(stream.next()).rejects.toThrow('broken')
  })

  it('abandon the work when the reader goes away, and wait for its end', async () => {
    const log: string[] = []
    let stop = nothing
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const work = async (emit: (event: number) => Promise<void>): Promise<void> => {
      await emit(1)
      await stopped
      await emit(2)
      log.push('ended')
    }
    for await (const event of asEvents(work, () => stop())) {
      log.push(`read ${event}`)
      break
    }
    expect(log).toEqual(['read 1', 'ended'])
  })
})
