/**
 * Changes that a person confirms on a card. The proposal is a row, the click a compare-and-set, the
 * schedule saved in the same transaction: a crash, a second click or a second process change nothing.
 */
import { z } from 'zod'
import { sameUser } from '../policy/access.ts'
import type { Receipt } from '../protocol/adapter.ts'
import { chatKey, sessionKey } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import { AppError } from '../protocol/errors.ts'
import type { ActionEvent, MessageEvent } from '../protocol/inbound.ts'
import type { Asker, ScheduleChange } from '../protocol/schedule.ts'
import type { NewOutboxRow } from '../store/repositories/outbox.ts'
import { decideProposal, findProposal, saveProposal } from '../store/repositories/schedule-proposals.ts'
import {
  countSchedules,
  findSchedule,
  saveSchedule,
  updateSchedule,
} from '../store/repositories/schedules.ts'
import type { ScheduleProposalRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { changeable, checkedFields, refusalToSave, requireInChat, saveChange } from './change.ts'
import type { ScheduleDeps } from './deps.ts'
import { nextWords, toWords, whenWords } from './description.ts'
import { errorText } from './failure-notice.ts'
import { nextTime } from './fire-plan.ts'
import { isHere, meantBy, whichOf } from './pending-changes.ts'
import { proposalCard } from './proposal-card.ts'
import { cardRef, repaintOf } from './settled-proposal.ts'
import { type Authority, parseSpec } from './spec.ts'
import { checkSchedule } from './validation.ts'

/** A change is checked when it is proposed and again when it is confirmed. */
export interface Proposals {
  propose(change: ScheduleChange, asker: Asker, once: string): Promise<string>
  /**
   * Decides the change that waits in the chat, one's own before others'. Where several could be meant
   * nothing is decided and the answer lists them with the ids that `scheduleId` takes.
   */
  decideWaiting(decision: 'confirm' | 'cancel', event: MessageEvent, scheduleId?: string): Promise<Receipt>
  /** Undefined when the click is on no card of a schedule. The decision is committed when this resolves. */
  handleAction(event: ActionEvent): Promise<Receipt | undefined>
}

const EXPIRES_MS = 24 * 3_600_000
const MOST_PER_PERSON = 50
const NEXT_SHOWN = 5

const valueSchema = z.strictObject({
  k: z.literal('schedule'),
  p: z.string().regex(/^[a-z0-9]{16,64}$/),
  d: z.enum(['confirm', 'cancel']),
  n: z.string().min(16).max(64),
})

/** @param poke something was saved: the timer may have to go off earlier */
export function createProposals(deps: ScheduleDeps, poke: () => void): Proposals {
  return {
    propose: async (change, asker, once) => {
      const { id, json } = await prepare(deps, change, asker)
      const wanted = newProposal(deps, { action: change.action, id, json, asker, once })
      // Rendered before the transaction, because looking up names needs the same database connection.
      const card = await proposalCard(deps, wanted)
      const row = await deps.store.transaction(async (trx) => {
        const saved = await saveProposal(trx, wanted)
        if (saved.id === wanted.id) await deps.outbox.put(trx, mailOf(wanted, asker, card))
        return saved
      })
      deps.outbox.flush(chatKey(asker.address))
      return answerTo(deps, row, asker)
    },
    decideWaiting: async (decision, event, scheduleId) => {
      const text = deps.text(event.address.botId)
      const [row, ...others] = await meantBy(deps, event, scheduleId)
      if (!row) return toast('info', text('schedule.nothing_pending'))
      if (others.length > 0) return toast('info', whichOf([row, ...others], text))
      const word = { address: event.address, operator: event.sender, isWord: true }
      const receipt = await decide(deps, row, decision, word)
      poke()
      return receipt
    },
    handleAction: async (event) => {
      if (event.value['k'] !== 'schedule') return undefined
      const text = deps.text(event.address.botId)
      const value = valueSchema.safeParse(event.value)
      const row = value.success ? await findProposal(deps.store.db, value.data.p) : undefined
      if (!value.success || !row || row.nonce !== value.data.n || !isHere(row, event.address))
        return toast('error', text('schedule.toast.not_found'))
      const receipt = await decide(deps, row, value.data.d, event)
      poke()
      return receipt
    },
  }
}

function newProposal(
  deps: ScheduleDeps,
  change: { action: ScheduleChange['action']; id: string; json: string; asker: Asker; once: string },
): ScheduleProposalRow {
  const now = deps.clock.now()
  return {
    id: deps.random.id(),
    once: change.once,
    nonce: deps.random.id(),
    action: change.action,
    schedule_id: change.id,
    spec: change.json,
    asker: JSON.stringify(change.asker),
    status: 'pending',
    decided_by: null,
    decided_name: null,
    decided_at: null,
    expires_at: now + EXPIRES_MS,
    created_at: now,
  }
}

function mailOf(row: ScheduleProposalRow, asker: Asker, card: Card): NewOutboxRow {
  return {
    key: `sp-${row.id}`,
    address: asker.address,
    sessionId: sessionKey(asker.address),
    ref: cardRef(row.id),
    priority: 'high',
    deadlineMs: EXPIRES_MS,
    payload: {
      message: { type: 'card', card, ...(asker.replyTo === undefined ? {} : { replyTo: asker.replyTo }) },
    },
  }
}

/** Checks a change as it would be saved, so that a card never shows what cannot be. */
async function prepare(
  deps: ScheduleDeps,
  change: ScheduleChange,
  asker: Asker,
): Promise<{ id: string; json: string }> {
  const { db } = deps.store
  if (!deps.access.mayOperate(asker.user, asker.address)) {
    throw new AppError('schedule.operate', 'creating schedules needs the right to operate', {
      hint: 'An administrator gives it in access.operate.',
    })
  }
  if (change.action === 'create') {
    const count = await countSchedules(db, asker.user)
    if (count >= MOST_PER_PERSON) {
      throw new AppError('schedule.too_many', `${count} schedules are the limit`, {
        hint: 'Delete some that are not needed.',
        params: { count },
      })
    }
  }
  const row = change.action === 'create' ? undefined : await changeable(deps, change.id, asker)
  if (row) requireInChat(row)
  if (change.action === 'delete') return { id: change.id, json: row?.spec ?? '' }
  const base = row && parseSpec(row.spec)
  const fields = checkedFields(deps, change.fields, asker)
  const destinationAsker = { ...asker, isAdmin: deps.access.isAdmin(asker.user) }
  const spec = await checkSchedule(db, deps, fields, base, destinationAsker)
  return { id: row?.id ?? deps.random.id(4), json: JSON.stringify(spec) }
}

async function answerTo(deps: ScheduleDeps, row: ScheduleProposalRow, asker: Asker): Promise<string> {
  const text = deps.text(asker.address.botId)
  const spec = parseSpec(row.spec)
  if (row.action === 'delete')
    return text('schedule.proposed_delete', { name: spec.name, id: row.schedule_id })
  return text('schedule.proposed', {
    name: spec.name,
    when: whenWords(deps, spec, text),
    times: nextWords(deps, spec, NEXT_SHOWN, text).join(' · '),
    to: await toWords(deps, spec.to, asker.address, text),
  })
}

/** A click takes the new card along in its receipt; after a word it is repainted. */
type Deciding = Pick<ActionEvent, 'address' | 'operator'> & { readonly isWord?: boolean }

async function decide(
  deps: ScheduleDeps,
  row: ScheduleProposalRow,
  decision: 'confirm' | 'cancel',
  event: Deciding,
): Promise<Receipt> {
  const text = deps.text(event.address.botId)
  const { operator } = event
  const asker = JSON.parse(row.asker) as Asker
  const trusted = !operator.isBot && !operator.isExternal
  if (!trusted || !(sameUser(operator.user, asker.user) || deps.access.isAdmin(operator.user)))
    return toast('error', text('schedule.toast.refused'))
  const now = deps.clock.now()
  const status = statusOf(row, decision, now)
  const known = await findSchedule(deps.store.db, row.schedule_id)
  const refused = status === 'confirmed' ? refusalToSave(deps.access, row, known, asker) : undefined
  if (refused) return toast('error', errorText(refused, text))
  const mark = { status, ...deciderOf(status, operator), decided_at: now }
  const repaint = event.isWord ? await repaintOf(deps, { ...row, ...mark }) : undefined
  const decided = await deps.store.transaction(async (trx) => {
    if (!(await decideProposal(trx, row.id, mark))) return false
    await repaint?.put(trx)
    if (status === 'confirmed') await apply(trx, deps, row, asker, now)
    await deps.audit.append(trx, {
      actor: operator.user,
      action: `schedule.${row.action}.${status}`,
      subject: row.schedule_id,
      detail: { proposal: row.id, asker: asker.user },
    })
    return true
  })
  repaint?.flush()
  const after = (await findProposal(deps.store.db, row.id)) ?? row
  const card = await proposalCard(deps, after)
  if (!decided) {
    if (after.status === 'expired') return { ...toast('warning', text('schedule.toast.expired')), card }
    const who = after.decided_name ?? after.decided_by ?? ''
    const params = { who, status: text(`schedule.card.tag.${after.status}`) }
    return { ...toast('info', text('schedule.toast.already', params)), card }
  }
  const key = status === 'confirmed' && row.action === 'delete' ? 'deleted' : status
  const tone = status === 'confirmed' ? 'success' : status === 'cancelled' ? 'info' : 'warning'
  return { ...toast(tone, text(`schedule.toast.${key}`, { id: row.schedule_id })), card }
}

/** Nobody decided what has expired. */
function deciderOf(
  status: ScheduleProposalRow['status'],
  { user, name }: ActionEvent['operator'],
): Pick<ScheduleProposalRow, 'decided_by' | 'decided_name'> {
  if (status === 'expired') return { decided_by: null, decided_name: null }
  return { decided_by: user, decided_name: name ?? null }
}

function statusOf(
  row: ScheduleProposalRow,
  decision: 'confirm' | 'cancel',
  now: number,
): 'confirmed' | 'cancelled' | 'expired' {
  if (now >= row.expires_at) return 'expired'
  return decision === 'confirm' ? 'confirmed' : 'cancelled'
}

/** Carries a confirmed change out. The rights are those of the asker, whoever clicked (T7). */
async function apply(
  trx: Db,
  deps: ScheduleDeps,
  row: ScheduleProposalRow,
  asker: Asker,
  now: number,
): Promise<void> {
  const known = await findSchedule(trx, row.schedule_id)
  if (row.action === 'delete') {
    const none = { next_slot: null, next_due: null, next_at: null, updated_at: now }
    await updateSchedule(trx, row.schedule_id, { state: 'deleted', reason: 'person', ...none })
    return
  }
  if (known) return saveChange(trx, deps, known, row.spec)
  if (row.action !== 'create') return
  const spec = parseSpec(row.spec)
  const authority: Authority = {
    ...(asker.name === undefined ? {} : { name: asker.name }),
    origin: asker.address,
    mayOperate: deps.access.mayOperate(asker.user, asker.address),
    tools: [...asker.tools],
  }
  await saveSchedule(trx, {
    id: row.schedule_id,
    source: 'chat',
    reason: null,
    spec: row.spec,
    bot_id: spec.to.botId,
    chat_id: spec.to.chatId,
    creator: asker.user,
    authority: JSON.stringify(authority),
    ...nextTime(deps.times, spec, row.schedule_id, now, null),
    created_at: now,
    updated_at: now,
  })
}

function toast(tone: NonNullable<Receipt['toast']>['tone'], text: string): Receipt {
  return { toast: { tone, text } }
}
