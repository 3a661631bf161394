import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { Asker, ScheduleDesk } from '../../../../src/protocol/schedule.ts'
import { createToolRegistry } from '../../../../src/tools/registry.ts'
import { createScheduleTools } from '../../../../src/tools/schedule/index.ts'
import { createFakeGate, engineDeps } from '../../../support/engine-deps.ts'
import { createMemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel } from '../../../support/scripted-model.ts'

const WHO: Asker = {
  user: 'feishu:ou_li',
  address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
  tools: ['shell'],
}

function setup(answer: () => string) {
  const asked: unknown[] = []
  const record = (...call: unknown[]): Promise<string> => {
    asked.push(call)
    return Promise.resolve().then(answer)
  }
  const desk: ScheduleDesk = {
    list: async () => [{ id: 'k1', name: '日报', state: 'active', lines: ['时间：九点'] }],
    propose: record,
    decideWaiting: record,
    act: record,
    edit: record,
    history: record,
  }
  const registry = createToolRegistry(createScheduleTools({ desk, asker: async () => WHO }))
  const session = createMemorySession()
  const deps = engineDeps(session, { model: createScriptedModel([]), gate: createFakeGate(() => session) })
  const call = async (name: string, args: object) => {
    const parsed = registry.parse({ id: 'call_1', name, arguments: JSON.stringify(args) })
    if (!parsed.ok) return parsed
    const ctx = deps.toolContext('call_1')
    const bound = { tool: name, args: parsed.args }
    return parsed.tool.run(parsed.args, ctx, AbortSignal.timeout(5_000), bound)
  }
  return { asked, call }
}

describe('cron_manage', () => {
  it('proposes a new schedule and passes on only what was given, once per call', async () => {
    const { asked, call } = setup(() => '还没有保存')
    const result = await call('cron_manage', { action: 'create', cron: '0 9 * * 1-5', prompt: '销售额' })
    expect(result).toEqual({ ok: true, text: '还没有保存' })
    expect(asked).toEqual([
      [
        { action: 'create', fields: { cron: '0 9 * * 1-5', prompt: '销售额' } },
        WHO,
        expect.stringContaining('call_1'),
      ],
    ])
  })

  it('needs an id for everything else, and says where ids are', async () => {
    const { call } = setup(() => '')
    expect(await call('cron_manage', { action: 'pause' })).toMatchObject({
      ok: false,
      error: { type: 'schedule.not_found', hint: 'cron_list shows the ids.' },
    })
  })

  it('a refusal is a result that the model can act on', async () => {
    const { call } = setup(() => {
      throw new AppError('schedule.cron', 'cron "9": five fields', { hint: 'Five fields.' })
    })
    expect(await call('cron_manage', { action: 'create', cron: '9', prompt: 'x' })).toEqual({
      ok: false,
      error: { type: 'schedule.cron', message: 'cron "9": five fields', hint: 'Five fields.' },
    })
  })

  it('an unknown action is refused before the desk hears of it', async () => {
    const { asked, call } = setup(() => '')
    expect(await call('cron_manage', { action: 'approve', id: 'k1' })).toMatchObject({ ok: false })
    expect(asked).toEqual([])
  })
})

describe('cron_list', () => {
  it('shows id, name, state and lines', async () => {
    const { call } = setup(() => '')
    expect(await call('cron_list', {})).toEqual({ ok: true, text: 'k1 日报 [active]\n  时间：九点' })
  })
})
