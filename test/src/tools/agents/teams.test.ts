import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTeamStore } from '../../../../src/house/teams.ts'
import type { AgentHost, AgentOutcome, AgentTask } from '../../../../src/protocol/agent-host.ts'
import type { AnyTool, ToolResult } from '../../../../src/protocol/tool.ts'
import type { Store } from '../../../../src/store/store.ts'
import { createAgentTools } from '../../../../src/tools/agents/index.ts'
import { createToolRegistry } from '../../../../src/tools/registry.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createSeededRandom } from '../../../support/random.ts'
import { openTestStore } from '../../../support/store.ts'
import { errorOf, type ToolBench, textOf, toolBench } from '../bench.ts'

const MEMBERS = [
  { name: '调查员', role: '查找事实' },
  { name: '审校员', role: '找出错误' },
]
const done = (text: string, foreign = false): AgentOutcome => ({
  ...{ outcome: 'done', text, failure: '', tools: [], foreign },
})

let store: Store
let bench: ToolBench
let tools: AnyTool[]
let tasks: AgentTask[]
/** What the members answer, by the role they are given. */
let answer: (task: AgentTask) => AgentOutcome | Promise<AgentOutcome>

beforeEach(async () => {
  store = await openTestStore()
  tools = createAgentTools(
    createTeamStore({ store, random: createSeededRandom('teams'), clock: createManualClock() }),
  )
  bench = toolBench({ tools })
  tasks = []
  answer = (task) => done(`answer of ${task.role.includes('调查员') ? 'first' : 'second'}`)
})
afterEach(async () => {
  bench[Symbol.dispose]()
  await store.close()
})

const host: AgentHost = {
  history: () => [],
  run: async (task) => {
    tasks.push(task)
    return answer(task)
  },
}

/** Calls a tool as the engine does, in a session of that name. */
async function call(name: string, args: object, sessionId = 's1', agents: AgentHost | 'none' = host) {
  const parsed = createToolRegistry(tools).parse({ id: 'x', name, arguments: JSON.stringify(args) })
  if (!parsed.ok) return parsed satisfies ToolResult
  const ctx = { ...bench.context(), sessionId, ...(agents === 'none' ? {} : { agents }) }
  return parsed.tool.run(parsed.args, ctx, new AbortController().signal, { tool: name, args: parsed.args })
}

async function spawn(sessionId = 's1'): Promise<string> {
  const spawned = JSON.parse(textOf(await call('spawn_team', { members: MEMBERS }, sessionId))) as {
    team_id: string
    members: string[]
  }
  expect(spawned.members).toEqual(['调查员', '审校员'])
  return spawned.team_id
}

describe('spawn_team', () => {
  it('takes at most eight members with names of their own, and a few teams at a time', async () => {
    const nine = Array.from({ length: 9 }, (_, i) => ({ name: `m${i}`, role: 'r' }))
    expect(errorOf(await call('spawn_team', { members: nine })).type).toBe('invalid_argument')
    const twins = [MEMBERS[0], MEMBERS[0]]
    expect(errorOf(await call('spawn_team', { members: twins })).message).toContain('"调查员"')
    for (let i = 0; i < 5; i++) await spawn()
    const full = errorOf(await call('spawn_team', { members: MEMBERS }))
    expect(full).toMatchObject({ type: 'limit', hint: expect.stringContaining('team_close') })
    await spawn('s2')
  })
})

describe('team_broadcast', () => {
  it('asks all, each in its role, and puts the answers under their names', async () => {
    const team_id = await spawn()
    const text = textOf(await call('team_broadcast', { team_id, message: '口径对吗' }))
    expect(text).toContain('2 of 2 members answered')
    expect(text).toContain('### 调查员 (查找事实)\nanswer of first')
    expect(text).toContain('### 审校员 (找出错误)\nanswer of second')
    expect(tasks.map((task) => [task.prompt, task.maxSteps, task.maxMs])).toEqual([
      ['口径对吗', 8, 300_000],
      ['口径对吗', 8, 300_000],
    ])
  })

  it('asks at the same time: nobody waits for another', async () => {
    const team_id = await spawn()
    let release = (): void => undefined
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    answer = async () => {
      if (tasks.length === 2) release()
      await both
      return done('met')
    }
    expect(textOf(await call('team_broadcast', { team_id, message: 'x' }))).toContain('2 of 2')
  })

  it('one failure does not stop the others; when all fail, the call fails', async () => {
    const team_id = await spawn()
    const failure: AgentOutcome = {
      outcome: 'failed',
      text: '',
      failure: '步数用完',
      tools: [],
      foreign: false,
    }
    answer = (task) => (task.role.includes('调查员') ? failure : done('fine'))
    const text = textOf(await call('team_broadcast', { team_id, message: 'x' }))
    expect(text).toContain('1 of 2 members answered')
    expect(text).toContain('No answer: 步数用完')
    answer = () => Promise.reject(new Error('broke'))
    expect(errorOf(await call('team_broadcast', { team_id, message: 'x' }))).toMatchObject({ type: 'failed' })
  })

  it('P2: what a member read outside taints the result, now and when it is asked again', async () => {
    const team_id = await spawn()
    answer = () => done('read a page', true)
    expect(await call('team_broadcast', { team_id, message: 'x' })).toMatchObject({ foreign: true })
    answer = () => done('from memory')
    const again = await call('team_send', { team_id, member_name: '审校员', message: 'y' })
    expect(again).toMatchObject({ foreign: true })
  })
})

describe('team_send', () => {
  it('asks one member, who knows what it was asked before', async () => {
    const team_id = await spawn()
    await call('team_broadcast', { team_id, message: '第一问' })
    tasks = []
    const text = textOf(await call('team_send', { team_id, member_name: '审校员', message: '第二问' }))
    expect(text).toBe('### 审校员\nanswer of second')
    expect(JSON.stringify(tasks[0]?.history)).toContain('第一问')
    expect(JSON.stringify(tasks[0]?.history)).toContain('answer of second')
    expect(JSON.stringify(tasks[0]?.history)).not.toContain('answer of first')
  })

  it('answers a wrong name with the names there are', async () => {
    const team_id = await spawn()
    const error = errorOf(await call('team_send', { team_id, member_name: '老王', message: 'x' }))
    expect(error).toMatchObject({ type: 'not_found', hint: 'Members: 调查员, 审校员.' })
  })
})

describe('team_close', () => {
  it('forgets the team and what was said with it', async () => {
    const team_id = await spawn()
    await call('team_broadcast', { team_id, message: 'x' })
    expect(textOf(await call('team_close', { team_id }))).toContain('2 members are gone')
    expect(errorOf(await call('team_broadcast', { team_id, message: 'x' })).type).toBe('not_found')
    expect(await store.db.selectFrom('team_turns').selectAll().execute()).toEqual([])
  })
})

describe('ownership', () => {
  it('T1: the team of another session is not found, in the words for an id that never was', async () => {
    const team_id = await spawn('s2')
    const wanted = [
      ['team_broadcast', { message: 'x' }],
      ['team_send', { member_name: '调查员', message: 'x' }],
      ['team_close', {}],
    ] as const
    for (const [name, args] of wanted) {
      const theirs = errorOf(await call(name, { ...args, team_id }))
      const none = errorOf(await call(name, { ...args, team_id: 'team-none' }))
      expect(theirs.type, name).toBe('not_found')
      expect(theirs.message.replace(team_id, 'team-none'), name).toBe(none.message)
    }
    expect(tasks).toEqual([])
    expect(textOf(await call('team_close', { team_id }, 's2'))).toContain('closed')
  })

  it('a helper cannot start helpers', async () => {
    const error = errorOf(await call('dispatch_agent', { prompt: 'x' }, 's1', 'none'))
    expect(error).toMatchObject({ type: 'refused' })
  })
})
