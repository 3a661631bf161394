/**
 * Programs that live as long as a session needs them, such as its browser: one per session, started at first use,
 * closed when idle, limited in number over all sessions. Knows when to start and close; refuses to know what runs.
 */
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'

/** The session, and its folders by their real paths. */
export interface Owner {
  readonly sessionId: string
  readonly privateDir: string
  readonly workspace: string
}

/** A program that was started for a session. */
export interface SessionProgram {
  /** Resolves once it is gone, whoever ended it. */
  readonly gone: Promise<void>
  /** Ends it; `forget` also removes what it would find again at its next start. Never rejects. */
  close(forget: boolean): Promise<void>
}

export interface SessionProgramsDeps<T extends SessionProgram> {
  /** What it is, for messages: `browser`, `desktop`. */
  readonly noun: string
  /** One sentence for the model that has none yet. */
  readonly howToOpen: string
  readonly max: number
  readonly idleMs: number
  readonly clock: Clock
  /** Number of the session's conversation: `/new` raises it, and what belongs to an earlier one is forgotten. */
  readonly epoch: (sessionId: string) => Promise<number>
  open(owner: Owner, epoch: number): Promise<T>
}

/** At most `max` at once; the one that was idle longest makes room. */
export interface SessionPrograms<T extends SessionProgram> {
  /** Runs `work` with the session's program; opens one when `open` is true, else rejects with `tool.not_found`. */
  use<R>(owner: Owner, open: boolean, work: (program: T) => Promise<R>): Promise<R>
  /** Looks without opening; undefined when there is none. */
  peek<R>(sessionId: string, look: (program: T) => Promise<R>): Promise<R | undefined>
  /** Closes all. */
  stop(): Promise<void>
}

interface Room<T> {
  readonly opening: Promise<T>
  readonly epoch: number
  busy: number
  usedAt: number
  cancelIdle: () => void
}

/** A registry of one kind of program, such as browsers. */
export function createSessionPrograms<T extends SessionProgram>(
  deps: SessionProgramsDeps<T>,
): SessionPrograms<T> {
  const rooms = new Map<string, Room<T>>()
  const close = async (sessionId: string): Promise<void> => {
    const room = rooms.get(sessionId)
    if (!room) return
    rooms.delete(sessionId)
    room.cancelIdle()
    const forget = (await deps.epoch(sessionId)) !== room.epoch
    // One that never opened needs no closing.
    const program = await room.opening.catch(() => undefined)
    await program?.close(forget)
  }
  const move = (owner: Owner, epoch: number): Room<T> => {
    const opening = deps.open(owner, epoch)
    const room: Room<T> = {
      opening,
      epoch,
      busy: 0,
      usedAt: deps.clock.monotonic(),
      cancelIdle: () => undefined,
    }
    rooms.set(owner.sessionId, room)
    const leave = (): void => {
      room.cancelIdle()
      if (rooms.get(owner.sessionId) === room) rooms.delete(owner.sessionId)
    }
    opening.then(({ gone }) => gone).then(leave, leave)
    return room
  }
  const enter = async (owner: Owner): Promise<Room<T>> => {
    const epoch = await deps.epoch(owner.sessionId)
    const before = rooms.get(owner.sessionId)
    if (before?.epoch === epoch) return before
    if (before) await close(owner.sessionId)
    if (rooms.size >= deps.max) {
      const idle = [...rooms].filter(([, room]) => room.busy === 0)
      const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)
      if (!oldest) throw full(deps.noun, deps.max)
      await close(oldest[0])
    }
    return rooms.get(owner.sessionId) ?? move(owner, epoch)
  }
  return {
    use: async (owner, open, work) => {
      if (!open && !rooms.has(owner.sessionId)) throw nothingOpen(deps)
      const room = await enter(owner)
      room.busy++
      room.cancelIdle()
      try {
        return await work(await room.opening)
      } finally {
        room.busy--
        room.usedAt = deps.clock.monotonic()
        if (room.busy === 0 && rooms.get(owner.sessionId) === room) {
          room.cancelIdle()
          room.cancelIdle = deps.clock.after(deps.idleMs, () => void close(owner.sessionId))
        }
      }
    },
    peek: async (sessionId, look) => {
      const program = await rooms.get(sessionId)?.opening.catch(() => undefined)
      return program && look(program)
    },
    stop: async () => {
      await Promise.all([...rooms.keys()].map(close))
    },
  }
}

function full(noun: string, max: number): AppError {
  return new AppError('tool.limit', `${max} ${noun}s are at work in other chats.`, {
    hint: 'Try again in a minute. An operator may allow more of them.',
  })
}

function nothingOpen({ noun, howToOpen }: { noun: string; howToOpen: string }): AppError {
  return new AppError('tool.not_found', `No ${noun} is open in this session.`, {
    hint: `${howToOpen} A ${noun} is closed after a while without use.`,
  })
}
