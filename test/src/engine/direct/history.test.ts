import { describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import type { GateDecision } from '../../../../src/protocol/engine.ts'
import { isAppError } from '../../../../src/protocol/errors.ts'
import type { ModelRequest } from '../../../../src/protocol/model.ts'
import { projectMessages } from '../../../../src/session/projection.ts'
import { collect, createFakeGate, engineDeps, fakeTool, ok } from '../../../support/engine-deps.ts'
import { historyFaults } from '../../../support/history.ts'
import { createMemorySession, type MemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel, type ScriptStep } from '../../../support/scripted-model.ts'

/** Replies by how far the history is, so that a resumed run goes on where it stands. */
function replyTo(request: ModelRequest): ScriptStep {
  const turns = request.messages.filter((message) => message.role === 'assistant').length
  const steps: readonly ScriptStep[] = [
    {
      text: '先看 \ud83d',
      calls: [
        ['look', { text: '1' }, 'same'],
        ['look', { text: '2' }, 'same'],
        ['write', { text: '3' }, 'same'],
      ],
    },
    {
      calls: [
        ['write', '{"text": "cut of'],
        ['nothing', {}],
        ['ask', { text: '4' }],
        ['look', { text: '5' }],
      ],
    },
    { calls: [['write', { text: '6' }]] },
    '完成',
  ]
  return steps[turns] ?? '完成'
}

interface World {
  readonly session: MemorySession
  readonly effects: string[]
  readonly decisions: Record<string, GateDecision>
}

async function runOnce(world: World): Promise<string> {
  const { session, effects, decisions } = world
  const effect = (text: string) => {
    effects.push(text)
    return ok(`did ${text}`)
  }
  const tools = [
    fakeTool('look', true, (text) => ok(`saw ${text}`)),
    fakeTool('write', false, effect),
    fakeTool('ask', false, effect),
  ]
  const gate = createFakeGate(() => session, decisions)
  const judge = gate.judge
  const asking = {
    ...gate,
    judge: async (...args: Parameters<typeof judge>): Promise<GateDecision> => {
      const id = args[2].callId
      if (args[0].name === 'ask') decisions[id] ??= { effect: 'ask', approvalId: `ap-${id}` }
      return judge(...args)
    },
  }
  const deps = engineDeps(session, { model: createScriptedModel(replyTo), gate: asking, tools })
  // Ids of a second process must not repeat those of the first.
  const random = { ...deps.random, id: () => `${session.log.length}x${deps.random.id()}` }
  const run = createDirectEngine().run(session, { ...deps, random }, new AbortController().signal)
  const events = await collect(run).catch((error: unknown) => {
    if (isAppError(error, 'session.lease_lost')) return []
    throw error
  })
  return events.at(-1)?.type ?? 'crashed'
}

function faultsOf(session: MemorySession): string[] {
  return historyFaults(projectMessages(session.entries(), { sessionId: 's', model: 'scripted' }))
}

/** Says yes to whatever is asked. */
function approveAll(world: World): void {
  for (const [id, decision] of Object.entries(world.decisions)) {
    if (decision.effect === 'ask') world.decisions[id] = { effect: 'allow', approvalId: `ap-${id}` }
  }
}

/** Kills the run at the given appends, one process after the other; returns how often it was killed. */
async function playKilled(world: World, kills: readonly number[]): Promise<number> {
  let crashes = 0
  let session = world.session
  for (let process = 0; process < 8; process++) {
    session.crashAt(kills[process] ?? Number.POSITIVE_INFINITY)
    const state = await runOnce({ ...world, session })
    expect(faultsOf(session), `killed at ${kills.join(' and ')}`).toEqual([])
    if (state === 'ended') return crashes
    if (state === 'crashed') crashes += 1
    if (state === 'suspended') approveAll(world)
    session = session.reopen()
    if (process < 2) session.say('等一下再看')
  }
  throw new Error(`never ended when killed at ${kills.join(' and ')}`)
}

describe('history of a run that is killed', () => {
  it('R9: is legal at every step, and goes on to the end without doing anything twice', async () => {
    let crashes = 0
    for (let first = 1; first <= 11; first++) {
      for (let second = 1; second <= 12; second++) {
        const world: World = { session: createMemorySession(), effects: [], decisions: {} }
        world.session.say('开始')
        crashes += await playKilled(world, [first, second])
        // R4: every effect happened at most once; one that was lost is told as unknown.
        expect(new Set(world.effects).size).toBe(world.effects.length)
        const unknown = world.session.log.filter(
          ({ entry }) => entry.type === 'result' && entry.error?.type === 'unknown_outcome',
        )
        expect(world.effects.length).toBeGreaterThanOrEqual(3 - unknown.length)
      }
    }
    expect(crashes).toBeGreaterThan(150)
  })
})
