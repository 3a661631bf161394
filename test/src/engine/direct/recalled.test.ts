import { expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import { collect, createFakeGate, engineDeps } from '../../../support/engine-deps.ts'
import { createMemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel } from '../../../support/scripted-model.ts'

it.each([
  ['an answered conversation', false],
  ['one that was stopped', true],
])('a run whose message was taken back before it was read asks no model, in %s', async (_name, stopped) => {
  const earlier = createMemorySession()
  earlier.say('请把报告发给我')
  await earlier.takeInput()
  await earlier.append({ type: 'assistant', text: '发了。', toolCalls: [], model: 'm' })
  if (stopped) await earlier.append({ type: 'note', text: 'This run was ended: stopped by a person.' })
  const session = createMemorySession(earlier.log, [], 'run2')
  const model = createScriptedModel(['再发一次'])
  const deps = engineDeps(session, { model, gate: createFakeGate(() => session) })
  const events = await collect(createDirectEngine().run(session, deps, new AbortController().signal))
  expect(model.requests).toEqual([])
  expect(events).toEqual([{ type: 'ended', outcome: 'done', text: '' }])
})
