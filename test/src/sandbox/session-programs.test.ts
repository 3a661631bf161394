import { describe, expect, it } from 'vitest'
import {
  createSessionPrograms,
  type Owner,
  type SessionProgram,
} from '../../../src/sandbox/session-programs.ts'
import { createManualClock } from '../../support/clock.ts'

interface Guest extends SessionProgram {
  readonly sessionId: string
  die(): void
}

/** Guests that only remember how they were closed. */
function house(options: { max?: number; idleMs?: number; fail?: boolean } = {}) {
  const clock = createManualClock()
  const closed: string[] = []
  const opened: string[] = []
  const epochs: Record<string, number> = {}
  const sessionPrograms = createSessionPrograms<Guest>({
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
  return { clock, closed, opened, epochs, sessionPrograms }
}

const owner = (sessionId: string): Owner => ({ sessionId, privateDir: `/p/${sessionId}`, workspace: '/w' })
const nothing = async (): Promise<void> => undefined

describe('sessionPrograms', () => {
  it('opens one per session and keeps it', async () => {
    const { sessionPrograms, opened } = house()
    await Promise.all([
      sessionPrograms.use(owner('a'), true, nothing),
      sessionPrograms.use(owner('a'), true, nothing),
    ])
    await sessionPrograms.use(owner('b'), true, nothing)
    expect(opened).toEqual(['a', 'b'])
  })

  it('does not open where only a look was wanted', async () => {
    const { sessionPrograms } = house()
    await expect(sessionPrograms.use(owner('a'), false, nothing)).rejects.toMatchObject({
      code: 'tool.not_found',
    })
    expect(await sessionPrograms.peek('a', async (guest) => guest.sessionId)).toBeUndefined()
  })

  it('closes what was idle for its time, counted from the last use', async () => {
    const { sessionPrograms, clock, closed } = house()
    await sessionPrograms.use(owner('a'), true, nothing)
    await clock.advance(900)
    await sessionPrograms.use(owner('a'), true, nothing)
    await clock.advance(900)
    expect(closed).toEqual([])
    await clock.advance(100)
    await expect.poll(() => closed).toEqual(['a'])
  })

  it('makes room by closing the one that was idle longest, and refuses when all are at work', async () => {
    const { sessionPrograms, clock, closed } = house()
    await sessionPrograms.use(owner('a'), true, nothing)
    await clock.advance(10)
    await sessionPrograms.use(owner('b'), true, nothing)
    await sessionPrograms.use(owner('c'), true, nothing)
    expect(closed).toEqual(['a'])
    await sessionPrograms.use(owner('b'), true, async () =>
      sessionPrograms.use(owner('c'), true, async () => {
        await expect(sessionPrograms.use(owner('d'), true, nothing)).rejects.toMatchObject({
          code: 'tool.limit',
        })
      }),
    )
  })

  it('T5: forgets what an earlier conversation left', async () => {
    const { sessionPrograms, epochs, closed, opened } = house()
    await sessionPrograms.use(owner('a'), true, nothing)
    epochs['a'] = 1
    await sessionPrograms.use(owner('a'), true, nothing)
    expect(closed).toEqual(['a forgotten'])
    expect(opened).toEqual(['a', 'a'])
  })

  it('opens anew after one died or could not be opened', async () => {
    const { sessionPrograms, opened } = house()
    await sessionPrograms.use(owner('a'), true, async (guest) => guest.die())
    await sessionPrograms.use(owner('a'), true, nothing)
    expect(opened).toEqual(['a', 'a'])
    const broken = house({ fail: true })
    await expect(broken.sessionPrograms.use(owner('a'), true, nothing)).rejects.toThrow('no room')
    await expect(broken.sessionPrograms.use(owner('a'), true, nothing)).rejects.toThrow('no room')
    expect(broken.opened).toEqual(['a', 'a'])
  })

  it('closes all on stop', async () => {
    const { sessionPrograms, closed } = house()
    await sessionPrograms.use(owner('a'), true, nothing)
    await sessionPrograms.use(owner('b'), true, nothing)
    await sessionPrograms.stop()
    expect(closed.sort()).toEqual(['a', 'b'])
  })
})
