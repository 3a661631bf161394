/** A gate over the real approvals, for a run that one message began. */
import { z } from 'zod'
import { createGate, type GateDeps } from '../../../src/approval/gate.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createAccess } from '../../../src/policy/access.ts'
import { createCommandAnalyser } from '../../../src/policy/command/analysis.ts'
import { createPolicy } from '../../../src/policy/policy.ts'
import type { LogEntry, StoredEntry } from '../../../src/protocol/session-log.ts'
import { type BoundCall, defineTool, type ToolContext } from '../../../src/protocol/tool.ts'
import { appendEntry } from '../../../src/store/repositories/session-log.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { admin, bound as command, group, member, openRoom, type Room } from './fixture.ts'

export const shell = defineTool({
  name: 'shell',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  readOnly: false,
  risk: 'command',
  title: (args) => `运行命令：${args.command}`,
  run: async () => ({ ok: true, text: '' }),
})
export const bind = (text: string): BoundCall => ({ ...command, args: { command: text }, command: text })

export async function openGate(approval: object = {}, fence = 1, confinement?: GateDeps['confinement']) {
  const room = await openRoom({ config: { access: { admins: [admin.user] }, approval } })
  const config = configSchema.parse({ access: { admins: [admin.user] }, approval })
  const adopted: StoredEntry[] = []
  const writer = { sessionId: 's1', epoch: 0, runId: 'r1', fence }
  const append = (entry: LogEntry) => appendEntry(room.store.db, writer, entry, room.clock.now())
  const gate = createGate(
    {
      store: room.store,
      approvals: room.approvals,
      policy: createPolicy(config, createAccess(config)),
      analyser: createCommandAnalyser(),
      audit: room.audit,
      ...(confinement ? { confinement } : {}),
    },
    {
      entries: () => [{ seq: 1, at: 0, runId: 'r1', entry: said({}) }],
      appendIn: (trx, entry) => appendEntry(trx, writer, entry, room.clock.now()),
      adopt: (entry) => void adopted.push(entry),
    },
  )
  return { room, gate, adopted, append, ctx: contextOf(room) }
}

export function contextOf(room: Room, callId = 'c1'): ToolContext {
  return {
    sessionId: 's1',
    runId: 'r1',
    callId,
    address: group,
    requester: member.user,
    workspace: '/w/s1',
    privateDir: '/p/s1',
    clock: room.clock,
    logger: createCollectingLogger(),
    text: createTranslate('zh-CN'),
    sandbox: {
      status: () => ({ kind: 'none', reason: '', profile: 'none' }),
      run: () => Promise.reject(new Error('nothing runs in this test')),
      close: async () => {},
    },
    sendFile: () => Promise.reject(new Error('nothing is sent in this test')),
    setTodos: () => {},
    limits: { fileBytes: 1, imageBytes: 1 },
  }
}

export function said({
  context = [],
}: {
  context?: readonly { kind: 'quote'; from: string; text: string }[]
}): LogEntry {
  const message = {
    messageId: 'om_1',
    user: member.user,
    name: '小王',
    text: 'x',
    sentAt: 0,
    replyTo: 'om_1',
    files: [],
    notes: [],
    context,
  }
  return { type: 'user', messages: [message] }
}

export async function pendingRow(room: Room, id: string) {
  const row = await room.approvals.byId(id)
  if (!row) throw new Error(`no row ${id}`)
  return row
}
