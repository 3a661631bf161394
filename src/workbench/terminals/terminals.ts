/**
 * Terminals that stay open between calls. A terminal lives in this process and ends with it; its row
 * outlives it, so that whoever asks later is told what became of it. The policy has judged
 * what is written before a call comes here.
 */
import type { Caller } from '../../protocol/workbench.ts'
import { forgetTerminal } from '../../store/repositories/workbench-tasks.ts'
import {
  deleteTerminal,
  insertTerminal,
  loseTerminals,
  terminalsOf,
} from '../../store/repositories/workbench-terminals.ts'
import type { WorkbenchTerminalRow } from '../../store/schema.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { missing, refusal } from '../errors.ts'
import { relativeFolder } from '../projects.ts'
import type { Workspace, Workspaces } from '../workspaces.ts'
import { createLiveTerminals, type LiveTerminals } from './live.ts'
import type { Snapshot } from './screen.ts'

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
  /** Ends what nobody used for too long, and says in their rows that terminals of a dead process are gone. */
  sweep(): Promise<void>
  /** The first look at what dead processes left. */
  start(): Promise<void>
  /** Ends all; rejects nothing. */
  stop(): Promise<void>
}

export function createTerminals(deps: WorkbenchDeps, workspaces: Workspaces): Terminals {
  const { db } = deps.store
  const live = createLiveTerminals(deps)
  /** Terminals of processes that are gone are gone; those of a process beside this one are not. */
  const loseOrphans = async (): Promise<void> => {
    const lost = await loseTerminals(db, [deps.owner, ...(await deps.presence.others())], deps.clock.now())
    if (lost.length > 0) deps.logger.warn({ terminals: lost.length }, 'terminals ended with their process')
  }

  const rowOf = async (
    caller: Caller,
    id: string,
  ): Promise<{ row: WorkbenchTerminalRow; workspace: Workspace }> => {
    const all = await workspaces.visible(caller)
    const row = (await terminalsOf(db, sessionsOf(all))).find((one) => one.id === id)
    const workspace = all.find((one) => one.sessionId === row?.session_id)
    if (!row || !workspace) throw missing('terminal', 'terminal_list gives the ids.')
    return { row, workspace }
  }

  return {
    list: async (caller, workspaceId) => {
      const all =
        workspaceId === undefined
          ? await workspaces.visible(caller)
          : [await workspaces.find(caller, workspaceId)]
      const rows = await terminalsOf(db, sessionsOf(all))
      return rows.map((row) => viewOf(row, all.find((one) => one.sessionId === row.session_id)?.id ?? ''))
    },

    find: async (caller, id) => {
      const { row, workspace } = await rowOf(caller, id)
      return viewOf(row, workspace.id)
    },

    create: async (caller, workspaceId, wanted) => {
      const workspace = await workspaces.find(caller, workspaceId)
      return viewOf(await open(deps, live, caller, workspace, wanted), workspace.id)
    },

    read: async (caller, id, format, maxChars) => {
      const { row } = await rowOf(caller, id)
      const snapshot = live.use(id)?.screen.snapshot(format, maxChars)
      const runtimeRevision = row.revision
      if (snapshot) return { ...snapshot, live: true, runtimeRevision }
      const data = row.tail.slice(-maxChars)
      const { sequence } = row
      return { data, sequence, truncated: sequence > data.length, live: false, runtimeRevision }
    },

    write: async (caller, id, data) => {
      const { row } = await rowOf(caller, id)
      const shell = live.use(id)
      if (!shell)
        throw refusal(
          'terminal_ended',
          `The terminal has ended (${row.reason ?? 'stopped'}).`,
          'Open another with terminal_create; this one can still be read.',
        )
      shell.write(data)
    },

    close: async (caller, id) => {
      const { row } = await rowOf(caller, id)
      await live.kill(id)
      await deps.store.transaction(async (trx) => {
        await deleteTerminal(trx, id)
        await forgetTerminal(trx, id)
        const detail = { session: row.session_id }
        await deps.audit.append(trx, { actor: caller.user, action: 'terminal.closed', subject: id, detail })
      })
    },

    sweep: async () => {
      await live.sweep()
      await loseOrphans()
    },
    start: loseOrphans,
    stop: live.stop,
  }
}

/** The row first, then the shell; a shell that does not start takes its row along. */
async function open(
  deps: WorkbenchDeps,
  live: LiveTerminals,
  caller: Caller,
  { sessionId, folder: root }: Workspace,
  wanted: NewTerminal,
): Promise<WorkbenchTerminalRow> {
  const folder = await relativeFolder(root, wanted.workingDirectory)
  using _place = live.reserve(sessionId)
  const row = newRow(deps, caller, sessionId, wanted, folder.name)
  await deps.store.transaction(async (trx) => {
    await insertTerminal(trx, row)
    const detail = { session: sessionId, folder: folder.name }
    await deps.audit.append(trx, { actor: caller.user, action: 'terminal.created', subject: row.id, detail })
  })
  try {
    await live.begin(row, { workspace: root, folder: folder.path }, wanted.command)
  } catch (error) {
    await deleteTerminal(deps.store.db, row.id)
    throw error
  }
  return row
}

function sessionsOf(workspaces: readonly Workspace[]): string[] {
  return workspaces.map((one) => one.sessionId)
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
