/** Builds what a tool may access: its session's folders and its own chat, nothing else. */

import { createHash } from 'node:crypto'
import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Adapter } from '../protocol/adapter.ts'
import { chatKey } from '../protocol/address.ts'
import type { Todo } from '../protocol/outbound.ts'
import type { DeliveryOutcome, ToolContext } from '../protocol/tool.ts'
import type { Lease } from '../session/lease.ts'
import type { WritableView } from '../session/view.ts'
import type { SessionFolders } from '../session/workspace.ts'
import type { RunRow } from '../store/schema.ts'
import type { WorkerDeps } from './deps.ts'
import { addressOf } from './ending.ts'
import { snapshotFile } from './snapshot.ts'

/** How long a tool waits for the platform to take a file. */
const DELIVERY_WAIT_MS = 180_000

/** The context for the calls of one run; the call's id is added per call. */
export function toolContext(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  parts: {
    readonly adapter: Adapter
    readonly folders: SessionFolders
    readonly view: Pick<WritableView, 'people'>
    readonly setTodos: (todos: readonly Todo[]) => void
  },
  callId: string,
): ToolContext {
  const { adapter, folders, setTodos } = parts
  const address = addressOf(lease.session)
  const requester = run.requester as ToolContext['requester']
  const others = parts.view.people().filter((user) => user !== requester)
  return {
    sessionId: lease.session.id,
    runId: run.id,
    callId,
    address,
    requester,
    ...(others.length === 0 ? {} : { others }),
    workspace: folders.workspace,
    privateDir: folders.privateDir,
    clock: deps.clock,
    logger: deps.logger.child({ runId: run.id, callId }),
    text: deps.text(address.botId),
    sandbox: deps.sandbox,
    limits: { fileBytes: adapter.capabilities.fileBytes, imageBytes: adapter.capabilities.imageBytes },
    setTodos,
    sendFile: async (request) => {
      const file = await snapshotFile(deps.dataDir, lease.session.id, request, deps.random)
      const key = `x-${createHash('sha256').update(`${lease.session.id}\n${callId}`).digest('hex').slice(0, 40)}`
      const envelope = run.reply_to === null ? {} : { replyTo: run.reply_to }
      const closed = deps.outbox.closed(key, DELIVERY_WAIT_MS)
      await deps.outbox.put(deps.store.db, {
        key,
        address,
        sessionId: lease.session.id,
        ref: `file:${callId}`,
        priority: 'high',
        deadlineMs: NOTICE_DEADLINE_MS,
        payload: { message: { type: 'file', file, ...envelope } },
      })
      deps.outbox.flush(chatKey(address))
      return outcomeOf(await closed)
    },
  }
}

function outcomeOf(delivery: Awaited<ReturnType<WorkerDeps['outbox']['closed']>>): DeliveryOutcome {
  if (delivery?.state === 'sent') return { ok: true, messageId: delivery.sent.messageId }
  if (!delivery) {
    return {
      ok: false,
      maybeSent: true,
      error: {
        type: 'timeout',
        message: 'The platform has not confirmed the file yet; the service keeps trying.',
        hint: 'Do not send it again now. Tell the person that the file is on its way.',
      },
    }
  }
  const { message, hint, code } = delivery.error
  return { ok: false, maybeSent: delivery.state === 'unknown', error: { type: code, message, hint } }
}
