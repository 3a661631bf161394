import { describe, expect, it } from 'vitest'
import type { ActionEvent, Sender } from '../../../../src/protocol/inbound.ts'
import { findTask } from '../../../../src/store/repositories/workbench-tasks.ts'
import { validationsOf } from '../../../../src/workbench/tasks/task.ts'
import { ADMIN, MEMBER } from '../bench.ts'
import { code, taskStage } from './stage.ts'

const stage = taskStage()

const admin: Sender = { user: ADMIN, name: '张三', isBot: false, isExternal: false }
const member: Sender = { user: MEMBER, isBot: false, isExternal: false }

const completed = async (fields: object = {}): Promise<string> => {
  const { board, execution } = stage.bench.workbench
  const task = { title: 't', agentType: 'opencode' as const, ...fields }
  const { id } = await board.create(stage.bench.a, await stage.bench.workspaceId(), '.', task)
  await execution.execute(stage.bench.a, id)
  await stage.bench.endRun(id, await stage.bench.beginRun(id), 'done')
  return id
}
const row = async (id: string) => {
  const found = await findTask(stage.bench.store.db, id)
  if (!found) throw new Error('no such task')
  return found
}
const click = async (id: string, change: Partial<ActionEvent> & { v?: string; n?: string } = {}) => {
  const { v = 'pass', n = (await row(id)).nonce, ...event } = change
  return stage.bench.workbench.verification.byClick({
    ...{ type: 'action', address: stage.bench.a.address, eventId: 'e', operator: admin, form: {}, sentAt: 0 },
    value: { t: id, v, n },
    ...event,
  })
}
const approve = async (callId: string, id: string): Promise<void> => {
  const opened = await stage.bench.approvals.open({
    bound: { tool: 'task_verify', args: { taskId: id } },
    ...{
      sessionId: stage.bench.a.sessionId,
      runId: 'r',
      callId,
      address: stage.bench.a.address,
      requester: MEMBER,
    },
    ...{ title: 't', rule: 'default:control', findings: [] },
  })
  if (opened.outcome === 'refused') throw new Error('not asked')
  const { row: approval } = opened
  const target = { by: 'card' as const, approvalId: approval.id, nonce: approval.nonce }
  const decision = { target, decision: 'allow' as const, scope: 'once', operator: admin }
  await stage.bench.approvals.decide({ ...decision, address: stage.bench.a.address })
  await stage.bench.store.transaction((trx) =>
    stage.bench.approvals.consume(trx, approval.id, approval.digest),
  )
}

describe('the card of a completed task', () => {
  it('an approver passes it: the record says who, the card shows it', async () => {
    const id = await completed()
    const receipt = await click(id)
    expect(receipt).toMatchObject({ toast: { tone: 'success' }, card: { tag: '已通过', buttons: [] } })
    expect(await row(id)).toMatchObject({ stage: 'verified' })
    expect(validationsOf(await row(id))).toEqual([
      { result: 'passed', note: '', by: ADMIN, name: '张三', at: expect.any(Number) },
    ])
  })

  it('sent back: it is in todo again, and its next prompt says why', async () => {
    const id = await completed()
    await stage.bench.workbench.desk.act('fail', id, stage.bench.a, admin, '缺少图表')
    expect(await row(id)).toMatchObject({ stage: 'todo', execution_state: 'idle' })
    await stage.bench.workbench.execution.execute(stage.bench.a, id)
    const inbox = await stage.bench.store.db
      .selectFrom('inbox')
      .select('payload')
      .orderBy('id', 'desc')
      .execute()
    expect(inbox[0]?.payload).toContain('缺少图表')
  })

  it.each([
    ['a person who may not decide', { operator: member }, 'error'],
    ['a bot', { operator: { ...admin, isBot: true } }, 'error'],
    ['a person of another company', { operator: { ...admin, isExternal: true } }, 'error'],
    ['a forged nonce', { n: 'x'.repeat(26) }, 'error'],
    ['another chat', { address: { botId: 'ops', chatId: 'oc_b', chatType: 'group' as const } }, 'error'],
    ['a word that is no button', { v: 'maybe' }, 'error'],
  ])('C: refuses %s', async (_what, change, tone) => {
    const id = await completed()
    expect(await click(id, change)).toMatchObject({ toast: { tone } })
    expect((await row(id)).stage).toBe('completed')
  })

  it('a second click changes nothing; a click on another card is not its affair', async () => {
    const id = await completed()
    await click(id)
    expect(await click(id, { v: 'fail' })).toMatchObject({ toast: { tone: 'info' }, card: { tag: '已通过' } })
    expect((await row(id)).stage).toBe('verified')
    expect(await click(id, { value: { a: 'x', d: 'allow', n: 'y' } })).toBeUndefined()
  })

  it('a recurring task goes back to todo', async () => {
    const id = await completed({ recurring: true })
    await click(id)
    expect(await row(id)).toMatchObject({ stage: 'todo', execution_state: 'idle' })
    expect(validationsOf(await row(id))).toHaveLength(1)
    expect((await stage.bench.workbench.execution.execute(stage.bench.a, id)).attempts).toBe(2)
  })
})

describe('task_verify', () => {
  it('counts only with the click of a person on this very call', async () => {
    const id = await completed()
    const { verification } = stage.bench.workbench
    const refused = code('needs_person')
    await expect(verification.byCall(stage.bench.a, 'call-1', id, 'ok')).rejects.toEqual(refused)
    await approve('call-1', id)
    await expect(verification.byCall(stage.bench.a, 'call-2', id, 'ok')).rejects.toEqual(refused)
    const task = await verification.byCall(stage.bench.a, 'call-1', id, 'ok')
    expect(task).toMatchObject({
      stage: 'verified',
      validations: [{ result: 'passed', note: 'ok', by: ADMIN }],
    })
    await expect(verification.byCall(stage.bench.a, 'call-1', id, '')).rejects.toEqual(code('not_completed'))
  })
})

describe('the command', () => {
  it('refuses a person without the right to judge or to operate', async () => {
    const id = await completed()
    const { desk } = stage.bench.workbench
    await expect(desk.act('pass', id, stage.bench.a, member, '')).rejects.toEqual(code('may_not_judge'))
    await stage.reopen({ config: { access: { admins: [ADMIN], operate: [ADMIN] } } })
    await expect(stage.bench.workbench.desk.act('run', 'x', stage.bench.a, member, '')).rejects.toEqual(
      code('may_not_operate'),
    )
  })
})
