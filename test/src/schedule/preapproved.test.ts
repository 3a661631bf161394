import { expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import type { BoundCall, ToolContext } from '../../../src/protocol/tool.ts'
import { daily, openRoom } from './fixture.ts'

const bound: BoundCall = { tool: 'shell', args: {}, command: 'make clean', cwd: '/w' }

it.each([
  ['in the workspace', {}, 'allow'],
  ['in another folder of it', { cwd: '/w/archive' }, 'deny'],
  ['typed into a terminal', { keystrokes: true }, 'deny'],
  ['with a variable', { env: { TARGET: 'x' } }, 'deny'],
  ['with something behind it', { command: 'make clean all' }, 'deny'],
] as const)('a command that needs no approval, %s: %j → %s', async (_name, change, effect) => {
  const room = await openRoom({ start: Date.parse('2026-12-01T08:59:00+08:00') })
  await room.load([daily({ preapproved: [{ command: 'make clean', until: '2026-12-31' }] })])
  await room.scheduler.start()
  await room.clock.advance(120_000)
  const [sessionId = ''] = room.woken
  const runId = await room.begin(sessionId)
  const ctx = { sessionId, runId, workspace: '/w', text: createTranslate('en') } as unknown as ToolContext
  expect(await room.runs.unattended({ ...bound, ...change }, ctx)).toMatchObject({ effect })
})
