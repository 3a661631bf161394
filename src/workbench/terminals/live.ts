/** The shells of this process's terminals, their number, and when they end. Everything else is in the rows. */

import { endTerminal, pruneTerminals } from '../../store/repositories/workbench-terminals.ts'
import type { WorkbenchTerminalRow } from '../../store/schema.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { refusal } from '../errors.ts'
import { type Place, type Shell, startShell } from './shell-start.ts'

export interface LiveTerminals {
  /** Takes a place for a terminal that is to start; `workbench.terminal_limit` when there is none. */
  reserve(sessionId: string): Disposable
  /** Starts the shell of a row that is there already; `command` is typed into it. */
  begin(row: WorkbenchTerminalRow, place: Place, command: string | undefined): Promise<void>
  /** The shell, if it lives here; being asked for counts as being used. */
  use(id: string): Shell | undefined
  /** Ends it at once, without a word in its row. */
  kill(id: string): Promise<void>
  /** Ends what nobody used for too long. */
  sweep(): Promise<void>
  stop(): Promise<void>
}

interface Live {
  readonly sessionId: string
  readonly shell: Shell
  usedAt: number
}

/** Live terminals of the whole service. */
const MOST = 32
/** Ended terminals that a workspace remembers. */
const REMEMBERED = 20
const TAIL_CHARACTERS = 4_000

export function createLiveTerminals(deps: WorkbenchDeps): LiveTerminals {
  const { clock } = deps
  const live = new Map<string, Live>()
  const starting: string[] = []

  const finish = async (id: string, reason: 'exit' | 'idle' | 'stopped'): Promise<void> => {
    const ended = live.get(id)
    if (!ended) return
    live.delete(id)
    ended.shell.kill()
    await noteEnd(deps, id, ended, reason)
  }

  return {
    reserve: (sessionId) => {
      const all = [...[...live.values()].map((one) => one.sessionId), ...starting]
      const here = all.filter((one) => one === sessionId).length
      if (here >= deps.config.terminalsPerWorkspace || all.length >= MOST)
        throw refusal('terminal_limit', 'Too many terminals are open.', 'Close one with terminal_close.')
      starting.push(sessionId)
      return { [Symbol.dispose]: () => void starting.splice(starting.indexOf(sessionId), 1) }
    },

    begin: async (row, place, command) => {
      const shell = await startShell(deps, row.session_id, place)
      live.set(row.id, { sessionId: row.session_id, shell, usedAt: clock.monotonic() })
      shell.ended
        .then(() => finish(row.id, 'exit'))
        .catch((error: unknown) => deps.logger.error({ error }, 'the end of a terminal could not be noted'))
      if (command !== undefined) shell.write(`${command}\r`)
    },

    use: (id) => {
      const found = live.get(id)
      if (found) found.usedAt = clock.monotonic()
      return found?.shell
    },

    kill: async (id) => {
      const found = live.get(id)
      live.delete(id)
      found?.shell.kill()
      await found?.shell.ended
    },

    sweep: async () => {
      const before = clock.monotonic() - deps.config.idle
      for (const [id, one] of live) if (one.usedAt <= before) await finish(id, 'idle')
    },

    stop: async () => {
      for (const id of [...live.keys()]) await finish(id, 'stopped')
    },
  }
}

async function noteEnd(deps: WorkbenchDeps, id: string, ended: Live, reason: string): Promise<void> {
  const { db } = deps.store
  const { data, sequence } = ended.shell.screen.snapshot('text', TAIL_CHARACTERS)
  const end = { state: 'ended' as const, reason, tail: data, sequence, revision: 2 }
  await endTerminal(db, id, { ...end, ended_at: deps.clock.now() })
  await pruneTerminals(db, ended.sessionId, REMEMBERED)
}
