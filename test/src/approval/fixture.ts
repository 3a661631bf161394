import { type Approvals, createApprovals } from '../../../src/approval/approvals.ts'
import type { OpenInput } from '../../../src/approval/open.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { createAudit } from '../../../src/observability/audit.ts'
import { createAccess } from '../../../src/policy/access.ts'
import type { Address, UserKey } from '../../../src/protocol/address.ts'
import type { Sender } from '../../../src/protocol/inbound.ts'
import type { BoundCall } from '../../../src/protocol/tool.ts'
import type { ApprovalRow } from '../../../src/store/schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { sessionRow } from '../../support/rows.ts'
import { openTestStore } from '../../support/store.ts'

export const group: Address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' }
export const admin = person('feishu:ou_admin', '管理员')
export const member = person('feishu:ou_member', '小王')
export const bound: BoundCall = {
  tool: 'shell',
  args: { command: 'rm -r build' },
  command: 'rm -r build',
  cwd: '/w/s1',
  cwdId: '1:2',
  env: {},
  timeoutMs: 60_000,
  sandboxProfile: 'bubblewrap net=none',
}

export function person(user: UserKey, name?: string, extra: Partial<Sender> = {}): Sender {
  return { user, isBot: false, isExternal: false, ...(name === undefined ? {} : { name }), ...extra }
}

export interface Room {
  readonly store: Store & { dataDir: string }
  readonly clock: ManualClock
  readonly approvals: Approvals
  readonly settled: ApprovalRow[]
  readonly lines: CollectedLine[]
  readonly audit: ReturnType<typeof createAudit>
}

export interface RoomOptions {
  readonly config?: object
  readonly dataDir?: string
  readonly clock?: ManualClock
  readonly seed?: string
  readonly onSettled?: (row: ApprovalRow) => Promise<void>
}

/** A store with the sessions s1 and s2, and the approval core over it. */
export async function openRoom(options: RoomOptions = {}): Promise<Room> {
  const store = await openTestStore(options.dataDir)
  const clock = options.clock ?? createManualClock()
  const config = configSchema.parse(options.config ?? { access: { admins: [admin.user] } })
  const audit = createAudit({ db: store.db, clock })
  const settled: ApprovalRow[] = []
  const { lines, ...logger } = createCollectingLogger()
  const approvals = createApprovals({
    store,
    clock,
    audit,
    logger,
    random: createSeededRandom(options.seed),
    access: createAccess(config),
    limits: { expiresMs: config.approval.expires, maxPendingPerChat: config.approval.maxPendingPerChat },
    onSettled: options.onSettled ?? (async (row) => void settled.push(row)),
  })
  if (options.dataDir === undefined) for (const id of ['s1', 's2']) await addSession(store, id)
  return { store, clock, approvals, settled, lines, audit }
}

async function addSession(store: Store, id: string): Promise<void> {
  const row = sessionRow(id, { chat_id: group.chatId, lease_owner: 'w1', fence: 1 })
  await store.db.insertInto('sessions').values(row).execute()
}

/** A request of `member` in session s1 of the group. */
export function request(callId: string, extra: Partial<OpenInput> = {}): OpenInput {
  return {
    bound,
    sessionId: 's1',
    runId: 'r1',
    callId,
    address: group,
    requester: member.user,
    requesterName: '小王',
    title: '运行命令：rm -r build',
    rule: 'default:command',
    findings: [{ code: 'deletes', severity: 'warning', params: { program: 'rm' } }],
    ...extra,
  }
}

/** Opens and expects a row. */
export async function openRow(
  room: Room,
  callId: string,
  extra: Partial<OpenInput> = {},
): Promise<ApprovalRow> {
  const opened = await room.approvals.open(request(callId, extra))
  if (opened.outcome === 'refused') throw new Error(`refused: ${opened.reason}`)
  return opened.row
}

/** A click of the admin on the row's card, unless something else is said. */
export function click(row: ApprovalRow, extra: Partial<Parameters<Approvals['decide']>[0]> = {}) {
  return {
    target: { by: 'card' as const, approvalId: row.id, nonce: row.nonce },
    decision: 'allow' as const,
    scope: 'once',
    operator: admin,
    address: group,
    ...extra,
  }
}

export const MINUTE = 60_000

/** `decided`, `refused:self` … */
export function outcomeOf(decision: { outcome: string; reason?: string }): string {
  return decision.reason === undefined ? decision.outcome : `${decision.outcome}:${decision.reason}`
}

export async function statusOf(room: Room, id: string): Promise<string | undefined> {
  return (await room.approvals.byId(id))?.status
}

export function consume(room: Room, id: string, digest: string): Promise<boolean> {
  return room.store.transaction((trx) => room.approvals.consume(trx, id, digest))
}
