/**
 * Which workspaces a caller sees: that of his own session and those that the configuration names for
 * him. Everything else is not found, in the same words as what never existed (T1).
 */
import { createHash } from 'node:crypto'
import { type Address, sessionKey } from '../protocol/address.ts'
import { type Caller, workspaceOwner } from '../protocol/workbench.ts'
import { prepareFolders } from '../session/workspace.ts'
import { findSession } from '../store/repositories/sessions.ts'
import type { SessionRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { refusal } from './errors.ts'

export interface Workspace {
  /** Shows no chat id. */
  readonly id: string
  /** Session whose folder it is. */
  readonly sessionId: string
  readonly address: Address
  /** Real path. */
  readonly folder: string
}

export interface Workspaces {
  /** The caller's own first. */
  visible(caller: Caller): Promise<readonly Workspace[]>
  /** Rejects with `workbench.workspace_not_found`. */
  find(caller: Caller, workspaceId: string): Promise<Workspace>
  /** The workspace of a session that the caller sees; undefined when he does not. */
  ofSession(caller: Caller, sessionId: string): Promise<Workspace | undefined>
}

export function createWorkspaces(
  db: Db,
  dataDir: string,
  /** Chats that a session sees beside its own: those of a remote caller. */
  alsoSees: (sessionId: string) => readonly Pick<Address, 'botId' | 'chatId' | 'threadId'>[],
): Workspaces {
  const folderOf = (sessionId: string): string => prepareFolders(dataDir, sessionId).workspace
  const visible = async (caller: Caller): Promise<readonly Workspace[]> => {
    const own = workspaceOwner(caller.sessionId)
    const others: Workspace[] = []
    for (const chat of alsoSees(caller.sessionId)) {
      const session = await findSession(db, sessionKey({ ...chat, chatType: 'group' }))
      if (session && session.id !== own)
        others.push(workspaceOf(session.id, addressOf(session), folderOf(session.id)))
    }
    return [workspaceOf(own, caller.address, caller.folder ?? folderOf(own)), ...others]
  }
  return {
    visible,
    find: async (caller, workspaceId) => {
      const found = (await visible(caller)).find((one) => one.id === workspaceId)
      if (found) return found
      throw refusal('workspace_not_found', 'There is no such workspace.', 'workspace_list gives the ids.')
    },
    ofSession: async (caller, sessionId) =>
      (await visible(caller)).find((one) => one.sessionId === sessionId),
  }
}

function workspaceOf(sessionId: string, address: Address, folder: string): Workspace {
  const id = createHash('sha256').update(`workspace\n${sessionId}`).digest('hex').slice(0, 24)
  return { id: `ws_${id}`, sessionId, address, folder }
}

function addressOf(session: SessionRow): Address {
  return {
    botId: session.bot_id,
    chatId: session.chat_id,
    chatType: session.chat_type,
    ...(session.thread_id === null ? {} : { threadId: session.thread_id }),
  }
}
