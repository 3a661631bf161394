import { describe, expect, it } from 'vitest'
import { createResidents, type Owner, type Resident } from '../../../src/sandbox/residents.ts'
import { createManualClock } from '../../support/clock.ts'

interface Guest extends Resident {
  readonly sessionId: string
  die(): void
}

/** Guests that only remember how they were closed. */
function house(options: { max?: number; idleMs?: number; fail?: boolean } = {}) {
  const clock = createManualClock()
  const closed: string[] = []
  const opened: string[] = []
  const epochs: Record<string, number> = {}
  const residents = createResidents<Guest>({
    noun: 'browser',
    howToOpen: 'Open one.',
    max: options.max ?? 2,
    idleMs: options.idleMs ?? 1_000,
    clock,
    epoch: async (sessionId) => epochs[sessionId] ?? 0,
    open: async (owner) => {
      opened.push(owner.sessionId)
      if (options.fail) throw new Error('no room')
      let die = (): void => undefined
      const gone = new Promise<void>((resolve) => {
        die = resolve
      })
      const close = async (forget: boolean): Promise<void> => {
        closed.push(`${owner.sessionId}${forget ? ' forgotten' : ''}`)
        die()
      }
      return { sessionId: owner.sessionId, gone, die, close }
    },
  })
  return { clock, closed, opened, epochs, residents }
}

const owner = (sessionId: string): Owner => ({ sessionId, privateDir: `/p/${sessionId}`, workspace: '/w' })
const nothing = async (): Promise<void> => undefined

describe('residents', () => {
  it('opens one per session and keeps it', async () => {
    const { residents, opened } = house()
    await Promise.all([residents.use(owner('a'), true, nothing), residents.use(owner('a'), true, nothing)])
    await residents.use(owner('b'), true, nothing)
    expect(opened).toEqual(['a', 'b'])
  })

  it('does not open where only a look was wanted', async () => {
    const { residents } = house()
    await expect(residents.use(owner('a'), false, nothing)).rejects.toMatchObject({ code: 'tool.not_found' })
    expect(await residents.peek('a', async (guest) => guest.sessionId)).toBeUndefined()
  })

  it('closes what was idle for its time, counted from the last use', async () => {
    const { residents, clock, closed } = house()
    await residents.use(owner('a'), true, nothing)
    await clock.advance(900)
    await residents.use(owner('a'), true, nothing)
    await clock.advance(900)
    expect(closed).toEqual([])
    await clock.advance(100)
    await expect.poll(() => closed).toEqual(['a'])
  })

  it('makes room by closing the one that was idle longest, and refuses when all are at work', async () => {
    const { residents, clock, closed } = house()
    await residents.use(owner('a'), true, nothing)
    await clock.advance(10)
    await residents.use(owner('b'), true, nothing)
    await residents.use(owner('c'), true, nothing)
    expect(closed).toEqual(['a'])
    await residents.use(owner('b'), true, async () =>
      residents.use(owner('c'), true, async () => {
        await expect(residents.use(owner('d'), true, nothing)).rejects.toMatchObject({ code: 'tool.limit' })
      }),
    )
  })

  it('T5: forgets what an earlier conversation left', async () => {
    const { residents, epochs, closed, opened } = house()
    await residents.use(owner('a'), true, nothing)
    epochs['a'] = 1
    await residents.use(owner('a'), true, nothing)
    expect(closed).toEqual(['a forgotten'])
    expect(opened).toEqual(['a', 'a'])
  })

  it('opens anew after one died or could not be opened', async () => {
    const { residents, opened } = house()
    await residents.use(owner('a'), true, async (guest) => guest.die())
    await residents.use(owner('a'), true, nothing)
    expect(opened).toEqual(['a', 'a'])
    const broken = house({ fail: true })
    await expect(broken.residents.use(owner('a'), true, nothing)).rejects.toThrow('no room')
    await expect(broken.residents.use(owner('a'), true, nothing)).rejects.toThrow('no room')
    expect(broken.opened).toEqual(['a', 'a'])
  })

  it('closes all on stop', async () => {
    const { residents, closed } = house()
    await residents.use(owner('a'), true, nothing)
    await residents.use(owner('b'), true, nothing)
    await residents.stop()
    expect(closed.sort()).toEqual(['a', 'b'])
  })
})
