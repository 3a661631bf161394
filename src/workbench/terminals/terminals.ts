/**
 * Terminals that stay open between calls. A terminal lives in this process and ends with it; its row
 * outlives it, so that whoever asks later is told what became of it. Judging what is written is the
 * policy's affair and has happened before a call comes here.
 */
import type { Caller } from '../../protocol/workbench.ts'
import { findProgram } from '../../sandbox/index.ts'
import { prepareFolders } from '../../session/workspace.ts'
import { forgetTerminal } from '../../store/repositories/workbench-tasks.ts'
import {
  deleteTerminal,
  endTerminal,
  insertTerminal,
  loseTerminals,
  pruneTerminals,
  terminalsOf,
} from '../../store/repositories/workbench-terminals.ts'
import type { WorkbenchTerminalRow } from '../../store/schema.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { missing, refusal } from '../errors.ts'
import { relativeFolder } from '../projects.ts'
import type { Workspace, Workspaces } from '../workspaces.ts'
import type { Snapshot } from './screen.ts'
import { openShell, type Shell } from './shell.ts'

export interface TerminalView {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly workingDirectory: string
  readonly command: string | null
  /** True when it can be written to. */
  readonly live: boolean
  /** Why it is not live. */
  readonly reason: string | null
  readonly createdAt: number
}

export interface NewTerminal {
  readonly name: string
  readonly workingDirectory: string
  readonly command: string | undefined
}

export interface Terminals {
  /** Of one workspace, or of all that the caller sees. */
  list(caller: Caller, workspaceId?: string): Promise<TerminalView[]>
  create(caller: Caller, workspaceId: string, wanted: NewTerminal): Promise<TerminalView>
  read(
    caller: Caller,
    id: string,
    format: 'text' | 'ansi',
    maxChars: number,
  ): Promise<Snapshot & { live: boolean; runtimeRevision: number }>
  write(caller: Caller, id: string, data: string): Promise<void>
  close(caller: Caller, id: string): Promise<void>
  /** The terminal as the caller sees it; rejects with `workbench.terminal_not_found`. */
  find(caller: Caller, id: string): Promise<TerminalView>
  /** Ends what nobody used for too long. */
  sweep(): Promise<void>
  /** Terminals of a process that died are gone; says so in their rows. */
  start(): Promise<void>
  /** Ends all; rejects nothing. */
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

type EndReason = 'exit' | 'idle' | 'stopped'

export function createTerminals(deps: WorkbenchDeps, workspaces: Workspaces): Terminals {
  const { store, clock, audit } = deps
  const { db } = store
  const live = new Map<string, Live>()
  /** Places taken by terminals that are still starting. */
  const starting = new Map<string, number>()

  const rowOf = async (
    caller: Caller,
    id: string,
  ): Promise<{ row: WorkbenchTerminalRow; workspace: Workspace }> => {
    const all = await workspaces.visible(caller)
    const rows = await terminalsOf(
      db,
      all.map((one) => one.sessionId),
    )
    const row = rows.find((one) => one.id === id)
    const workspace = all.find((one) => one.sessionId === row?.session_id)
    if (!row || !workspace) throw missing('terminal', 'terminal_list gives the ids.')
    return { row, workspace }
  }

  const finish = async (id: string, reason: EndReason): Promise<void> => {
    const ended = live.get(id)
    if (!ended) return
    live.delete(id)
    ended.shell.kill()
    const { data, sequence } = ended.shell.screen.snapshot('text', TAIL_CHARACTERS)
    const end = { state: 'ended' as const, reason, tail: data, sequence, revision: 2, ended_at: clock.now() }
    await endTerminal(db, id, end)
    await pruneTerminals(db, ended.sessionId, REMEMBERED)
  }

  const requireRoom = (sessionId: string): void => {
    const here = [...live.values()].filter((one) => one.sessionId === sessionId).length
    const coming = starting.get(sessionId) ?? 0
    const total = live.size + [...starting.values()].reduce((sum, count) => sum + count, 0)
    if (here + coming >= deps.config.terminalsPerWorkspace || total >= MOST)
      throw refusal('terminal_limit', 'Too many terminals are open.', 'Close one with terminal_close.')
  }

  /** Starts the shell behind a row that is there already. */
  const begin = async (row: WorkbenchTerminalRow, folder: string, command?: string): Promise<void> => {
    const shell = await startShell(deps, row.session_id, folder)
    live.set(row.id, { sessionId: row.session_id, shell, usedAt: clock.monotonic() })
    shell.ended
      .then(() => finish(row.id, 'exit'))
      .catch((error: unknown) => deps.logger.error({ error }, 'the end of a terminal could not be noted'))
    if (command !== undefined) shell.write(`${command}\r`)
  }

  return {
    list: async (caller, workspaceId) => {
      const all =
        workspaceId === undefined
          ? await workspaces.visible(caller)
          : [await workspaces.find(caller, workspaceId)]
      const rows = await terminalsOf(
        db,
        all.map((one) => one.sessionId),
      )
      return rows.map((row) => viewOf(row, all.find((one) => one.sessionId === row.session_id)?.id ?? ''))
    },

    find: async (caller, id) => {
      const { row, workspace } = await rowOf(caller, id)
      return viewOf(row, workspace.id)
    },

    create: async (caller, workspaceId, wanted) => {
      const workspace = await workspaces.find(caller, workspaceId)
      const { sessionId } = workspace
      const root = prepareFolders(deps.dataDir, sessionId).workspace
      const folder = await relativeFolder(root, wanted.workingDirectory)
      requireRoom(sessionId)
      starting.set(sessionId, (starting.get(sessionId) ?? 0) + 1)
      const row = newRow(deps, caller, sessionId, wanted, folder.name)
      try {
        await store.transaction(async (trx) => {
          await insertTerminal(trx, row)
          const detail = { session: sessionId, folder: folder.name }
          await audit.append(trx, { actor: caller.user, action: 'terminal.created', subject: row.id, detail })
        })
        await begin(row, folder.path, wanted.command)
      } catch (error) {
        await deleteTerminal(db, row.id)
        throw error
      } finally {
        starting.set(sessionId, Math.max(0, (starting.get(sessionId) ?? 1) - 1))
      }
      return viewOf(row, workspace.id)
    },

    read: async (caller, id, format, maxChars) => {
      const { row } = await rowOf(caller, id)
      const running = live.get(id)
      if (!running) {
        const data = row.tail.slice(-maxChars)
        const truncated = row.sequence > data.length
        return { data, sequence: row.sequence, truncated, live: false, runtimeRevision: row.revision }
      }
      running.usedAt = clock.monotonic()
      const snapshot = running.shell.screen.snapshot(format, maxChars)
      return { ...snapshot, live: true, runtimeRevision: row.revision }
    },

    write: async (caller, id, data) => {
      const { row } = await rowOf(caller, id)
      const running = live.get(id)
      if (!running)
        throw refusal(
          'terminal_ended',
          `The terminal has ended (${row.reason ?? 'stopped'}).`,
          'Open another with terminal_create; this one can still be read.',
        )
      running.usedAt = clock.monotonic()
      running.shell.write(data)
    },

    close: async (caller, id) => {
      const { row } = await rowOf(caller, id)
      const running = live.get(id)
      live.delete(id)
      running?.shell.kill()
      await store.transaction(async (trx) => {
        await deleteTerminal(trx, id)
        await forgetTerminal(trx, id)
        const detail = { session: row.session_id }
        await audit.append(trx, { actor: caller.user, action: 'terminal.closed', subject: id, detail })
      })
      await running?.shell.ended
    },

    sweep: async () => {
      const before = clock.monotonic() - deps.config.idle
      for (const [id, one] of live) if (one.usedAt <= before) await finish(id, 'idle')
    },

    start: async () => {
      const lost = await loseTerminals(db, deps.owner, clock.now())
      if (lost.length > 0)
        deps.logger.warn({ terminals: lost.length }, 'terminals ended with the last process')
    },

    stop: async () => {
      for (const id of [...live.keys()]) await finish(id, 'stopped')
    },
  }
}

async function startShell(deps: WorkbenchDeps, sessionId: string, folder: string): Promise<Shell> {
  const { kind, reason } = deps.sandbox.status()
  if (kind === 'unavailable') throw refusal('no_sandbox', 'No terminal can run here.', reason)
  const program = await findProgram('script')
  if (!program)
    throw refusal('no_script', 'The program "script" is missing.', 'Install it: apt-get install bsdutils')
  const { workspace, privateDir } = prepareFolders(deps.dataDir, sessionId)
  // A command first: it gives the workspace's files to the sandbox's user.
  await deps.sandbox.run(
    {
      ...{ command: 'true', cwd: workspace, workspace, env: {}, timeoutMs: 30_000, outputBytes: 1_024 },
      logPath: '/dev/null',
      statusPath: `${privateDir}/terminal.json`,
    },
    AbortSignal.timeout(40_000),
  )
  const env = deps.settings.networkEnvironment()
  return openShell(deps.sandbox, deps.clock, { program, workspace, folder, network: deps.network, env })
}

function newRow(
  deps: WorkbenchDeps,
  caller: Caller,
  sessionId: string,
  wanted: NewTerminal,
  folder: string,
): WorkbenchTerminalRow {
  return {
    id: `term_${deps.random.id(10)}`,
    session_id: sessionId,
    name: wanted.name,
    folder,
    command: wanted.command ?? null,
    state: 'live',
    reason: null,
    owner: deps.owner,
    revision: 1,
    tail: '',
    sequence: 0,
    created_by: caller.user,
    created_at: deps.clock.now(),
    ended_at: null,
  }
}

function viewOf(row: WorkbenchTerminalRow, workspaceId: string): TerminalView {
  return {
    id: row.id,
    workspaceId,
    name: row.name,
    workingDirectory: row.folder,
    command: row.command,
    live: row.state === 'live',
    reason: row.reason,
    createdAt: row.created_at,
  }
}
