import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MOST_FACTS } from '../../../src/memory/facts.ts'
import type { Owner } from '../../../src/memory/scope.ts'
import { scopesOf } from '../../../src/memory/scope.ts'
import type { LogEntry } from '../../../src/protocol/session-log.ts'
import { appendEntry } from '../../../src/store/repositories/session-log.ts'
import { acquireLease, ensureSession, raiseEpoch } from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { createTestMemory, type TestMemory } from '../../support/memory.ts'
import { openTestStore } from '../../support/store.ts'

const signal = new AbortController().signal
const here: Owner = { sessionId: 'ops/oc_1/', user: 'feishu:ou_1' }
const colleague: Owner = { sessionId: 'ops/oc_1/', user: 'feishu:ou_2' }
const elsewhere: Owner = { sessionId: 'ops/oc_2/', user: 'feishu:ou_1' }

let store: Store
let memory: TestMemory
beforeEach(async () => {
  store = await openTestStore()
  memory = createTestMemory(store)
})
afterEach(() => store.close())

const remember = (
  owner: Owner,
  key: string,
  value: string,
  more: { scope?: 'chat' | 'person'; tainted?: boolean } = {},
) => memory.facts.remember(owner, { scope: 'chat', tainted: false, key, value, ...more }, signal)
const found = async (owner: Owner, query: string): Promise<string[]> =>
  (await memory.facts.search(owner, query, signal)).facts.map((fact) => fact.key)

describe('facts', () => {
  it('finds two-character Chinese words inside longer ones, the best first', async () => {
    await remember(here, '报销', '超过五千元的审批要财务总监签字')
    await remember(here, '值班', '周五由张三丰值班')
    await remember(here, '午餐', '食堂十二点开门')
    expect(await found(here, '审批')).toEqual(['报销'])
    expect(await found(here, '张三')).toEqual(['值班'])
    expect(await found(here, '谁来审批报销')).toEqual(['报销'])
    expect(await found(here, '数据库超时怎么办')).toEqual([])
  })

  it('finds a single character and a symbol as they stand', async () => {
    await remember(here, '宠物', '前台有一只猫')
    await remember(here, '汇率', '1 $ = 7.1 ¥')
    expect(await found(here, '猫')).toEqual(['宠物'])
    expect(await found(here, '¥')).toEqual(['汇率'])
  })

  it('folds full-width letters and case', async () => {
    await remember(here, 'API 地址', 'HTTPS://ERP.EXAMPLE.COM')
    expect(await found(here, 'ａｐｉ')).toEqual(['API 地址'])
    expect(await found(here, 'erp')).toEqual(['API 地址'])
  })

  it('replaces the value of a key, and no longer finds it by its old words', async () => {
    const first = await remember(here, '负责人', '张三')
    const second = await remember(here, '负责人', '李四')
    expect(second).toEqual({ id: first.id, before: '张三' })
    expect(await found(here, '张三')).toEqual([])
    expect(await memory.facts.recall(here, '负责人')).toMatchObject({ value: '李四', scope: 'chat' })
  })

  it('shows a personal fact to its person only, before the chat’s fact of the same key', async () => {
    await remember(here, '语气', '正式', { scope: 'chat' })
    await remember(here, '语气', '简短', { scope: 'person' })
    expect(await memory.facts.recall(here, '语气')).toMatchObject({ value: '简短', scope: 'person' })
    expect(await memory.facts.recall(colleague, '语气')).toMatchObject({ value: '正式', scope: 'chat' })
    expect((await memory.facts.list(colleague)).map((fact) => fact.value)).toEqual(['正式'])
  })

  it('refuses one fact too many and says what to do', async () => {
    const [scope] = scopesOf(here)
    const now = 1
    await store.db
      .insertInto('memory_facts')
      .values(
        Array.from({ length: MOST_FACTS }, (_, i) => ({
          ...{ id: `f${i}`, scope, key: `k${i}`, value: 'v', author: 'feishu:ou_1', tainted: 0 },
          ...{ vector: null, vector_model: null, created_at: now, updated_at: now },
        })),
      )
      .execute()
    await expect(remember(here, 'one more', 'x')).rejects.toMatchObject({
      code: 'tool.limit',
      hint: expect.stringContaining('/memory'),
    })
    await expect(remember(here, 'k7', 'changed')).resolves.toMatchObject({ before: 'v' })
  })
})

describe('T1/T4: another chat, another person', () => {
  it('finds, recalls, lists and erases nothing of it, as if the id were made up', async () => {
    const { id } = await remember(here, '密级', '项目代号海鸥')
    await memory.blocks.write(here, {
      name: 'project_context',
      content: '海鸥',
      mode: 'replace',
      tainted: false,
    })
    expect(await found(elsewhere, '海鸥')).toEqual([])
    expect(await memory.facts.recall(elsewhere, '密级')).toBeUndefined()
    expect(await memory.facts.list(elsewhere)).toEqual([])
    expect(await memory.blocks.list(elsewhere)).toEqual([])
    expect(await memory.recollect(elsewhere, new Set())).toBeUndefined()
    expect(await memory.forget(elsewhere, id)).toBe(false)
    expect(await memory.forget(elsewhere, 'nonsense')).toBe(false)
    expect(await memory.forget(elsewhere, 'project_context')).toBe(false)
    expect(await memory.facts.recall(here, '密级')).toMatchObject({ value: '项目代号海鸥' })
  })

  it('T2: scopes of different ids never meet, whatever separators the ids hold', () => {
    const part = fc.stringMatching(/^[a:/%|]{0,6}$/)
    fc.assert(
      fc.property(part, part, part, part, (a, b, c, d) => {
        const one = scopesOf({ sessionId: a, user: `feishu:${b}` })
        const other = scopesOf({ sessionId: c, user: `feishu:${d}` })
        const shared = one.filter((scope) => (other as readonly string[]).includes(scope))
        if (a !== c) expect(shared).toEqual([])
        if (a === c && b !== d) expect(shared).toEqual([one[0]])
      }),
    )
  })

  it('a personal fact is erased by its person, not by a colleague of the same chat', async () => {
    const { id } = await remember(here, '生日', '三月', { scope: 'person' })
    expect(await memory.forget(colleague, id)).toBe(false)
    expect(await memory.forget(here, id)).toBe(true)
    expect(await memory.facts.recall(here, '生日')).toBeUndefined()
    expect(await found(here, '三月')).toEqual([])
  })
})

describe('blocks', () => {
  const write = (mode: 'replace' | 'append', content: string, tainted = false) =>
    memory.blocks.write(here, { name: 'active_goals', content, mode, tainted })

  it('appends a line, and drops nothing when it does not fit', async () => {
    await write('replace', '第一行')
    await expect(write('append', '第二行')).resolves.toEqual({ content: '第一行\n第二行', before: '第一行' })
    await expect(write('append', '字'.repeat(1_495))).rejects.toMatchObject({
      code: 'tool.limit',
      message: expect.stringContaining('Nothing was changed'),
      hint: expect.stringContaining('memory_replace'),
    })
    expect((await memory.blocks.list(here))[0]?.content).toBe('第一行\n第二行')
  })

  it('P6: stays marked when a clean line is appended to a tainted text, and not when all is replaced', async () => {
    await write('replace', '来自网页', true)
    await write('append', '自己的话')
    expect((await memory.blocks.list(here))[0]?.tainted).toBe(true)
    await write('replace', '全部重写')
    expect((await memory.blocks.list(here))[0]?.tainted).toBe(false)
  })

  it('opens a conversation once: what is shown already is left out, a colleague has no profile of mine', async () => {
    await write('replace', '月底上线')
    await memory.blocks.write(here, {
      name: 'user_profile',
      content: '喜欢表格',
      mode: 'replace',
      tainted: true,
    })
    expect(await memory.recollect(here, new Set())).toEqual({
      type: 'memory',
      blocks: [
        { name: 'active_goals', content: '月底上线', tainted: false },
        { name: 'user_profile', user: 'feishu:ou_1', content: '喜欢表格', tainted: true },
      ],
    })
    expect(
      await memory.recollect(here, new Set(['active_goals', 'user_profile feishu:ou_1'])),
    ).toBeUndefined()
    expect((await memory.recollect(colleague, new Set()))?.blocks.map((block) => block.name)).toEqual([
      'active_goals',
    ])
  })
})

describe('what was said before a summary', () => {
  const address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
  const said = (text: string): LogEntry => ({
    type: 'user',
    messages: [
      {
        ...{ messageId: 'om', user: 'feishu:ou_1', name: '张三', text, sentAt: 0, replyTo: '' },
        ...{ context: [], files: [], notes: [] },
      },
    ],
  })

  it('is found again, but not what still stands in the conversation, nor what /new forgot', async () => {
    await ensureSession(store.db, address, 1)
    const lease = await acquireLease(store.db, here.sessionId, 'w', 1, 1_000)
    const append = (entry: LogEntry, epoch = 0) =>
      appendEntry(
        store.db,
        { sessionId: here.sessionId, epoch, runId: 'r', fence: lease?.fence ?? 0 },
        entry,
        5,
      )
    await append(said('旧的发票编号是 A-17'))
    const last = await append({ type: 'assistant', text: '发票已登记', toolCalls: [], model: 'm' })
    await append({ type: 'summary', text: '登记了发票', after: last.seq })
    await append(said('发票在哪里'))
    const { said: lines } = await memory.facts.search(here, '发票', signal)
    expect(lines.map((line) => [line.who, line.text])).toEqual([
      ['you', '发票已登记'],
      ['张三', '旧的发票编号是 A-17'],
    ])
    expect((await memory.facts.search(elsewhere, '发票', signal)).said).toEqual([])
    await raiseEpoch(store.db, here.sessionId, 6)
    expect((await memory.facts.search(here, '发票', signal)).said).toEqual([])
  })
})
