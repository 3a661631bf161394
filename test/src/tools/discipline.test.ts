import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../src/engine/index.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createKnownRedactor } from '../../../src/observability/redact.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import type { AnyTool } from '../../../src/protocol/tool.ts'
import type { CallReport } from '../../../src/protocol/tool-calls.ts'
import { createToolCatalogue } from '../../../src/tools/catalogue.ts'
import { collect, createFakeGate, engineDeps, fakeTool, ok } from '../../support/engine-deps.ts'
import { createMemorySession } from '../../support/memory-session.ts'
import { createScriptedModel, type ScriptCall } from '../../support/scripted-model.ts'
import { realSandbox } from '../sandbox/real-sandbox.ts'
import { errorOf, textOf } from './bench.ts'
import { workbench } from './workstation/workbench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

const SECRET = 'tok-9f8e7d6c5b4a'

/** Runs calls of one reply through the engine; returns results of the log, reports, and what was shown. */
async function engine(tools: readonly AnyTool[], calls: readonly ScriptCall[], denied?: string) {
  const session = createMemorySession()
  session.say('go')
  const reports: CallReport[] = []
  const gate = createFakeGate(
    () => session,
    denied ? { [denied]: { effect: 'deny', reason: 'no curl here', hint: 'Use web_fetch.' } } : {},
  )
  const deps = engineDeps(session, { model: createScriptedModel([{ calls }, 'done']), gate, tools })
  const discipline = {
    redact: createKnownRedactor([SECRET]),
    report: (call: CallReport) => void reports.push(call),
  }
  const events = await collect(
    createDirectEngine().run(session, { ...deps, discipline }, new AbortController().signal),
  )
  const results = session.log.flatMap(({ entry }) => (entry.type === 'result' ? [entry] : []))
  return { results, reports, events }
}

describe('results', () => {
  it('K: a known secret reaches neither the model, the log nor the chat, also base64 and in errors', async () => {
    const leaky = fakeTool('leaky', true, (text) =>
      text === 'throw'
        ? Promise.reject(new AppError('tool.failed', `bad token ${SECRET}`, { hint: `not ${SECRET}` }))
        : ok(`key=${SECRET} ${Buffer.from(SECRET).toString('base64')} password: string`),
    )
    const { results, events } = await engine(
      [leaky],
      [
        ['leaky', { text: SECRET }],
        ['leaky', { text: 'throw' }],
      ],
    )
    expect(results.map((result) => result.text)).toEqual([
      'key=[redacted] [redacted]== password: string',
      'bad token [redacted]\nnot [redacted]',
    ])
    const shown = JSON.stringify(events.filter((event) => event.type !== 'turn'))
    expect(shown).not.toContain(SECRET)
  })

  it('article 26: every failure has a type, a message and something to try', async () => {
    const breaks = fakeTool('breaks', true, () => Promise.reject(new TypeError('x is not a function')))
    const silent = fakeTool('silent', true, () => ({
      ok: false,
      error: { type: 'tool.refused', message: 'no', hint: '' },
    }))
    const long = fakeTool('long', true, () => ({
      ok: false,
      error: { type: 'failed', message: 'x'.repeat(50_000), hint: 'h' },
    }))
    const { results } = await engine(
      [breaks, silent, long],
      [
        ['breaks', { text: '' }],
        ['silent', { text: '' }],
        ['long', { text: '' }],
        ['lnog', {}],
        ['long', { txt: 1 }],
      ],
    )
    expect(results.map((result) => result.error?.type)).toEqual([
      'failed',
      'refused',
      'failed',
      'not_found',
      'invalid_argument',
    ])
    for (const { error } of results) {
      expect(error?.message).not.toBe('')
      expect(error?.hint).not.toBe('')
      expect(error?.message.length).toBeLessThan(8_200)
    }
    expect(results[2]?.error?.message).toContain('characters left out')
  })

  it('article 26: each of the nineteen answers a wrong argument with the field, the fault and an example', async () => {
    using bench = workbench({ sandbox })
    for (const { name } of bench.tools) {
      const unknown = errorOf(await bench.call(name, { pathh: 1 }))
      expect(unknown, name).toMatchObject({
        type: 'invalid_argument',
        hint: expect.stringMatching(/^For example \{/),
      })
      expect(unknown.message, name).toMatch(/there is no field "pathh"/)
    }
    expect(errorOf(await bench.call('list_directory', { limit: 0 })).message).toContain('field "limit"')
    expect(errorOf(await bench.call('process_info', { pid: 'x' })).hint).toBe('For example {"pid":1}.')
  })
})

describe('reports', () => {
  it('one for each call, whatever became of it; an invented name is no name', async () => {
    const fine = fakeTool('fine', true, (text) => ok(text))
    const { reports } = await engine(
      [fine],
      [
        ['fine', { text: 'abc' }],
        ['fine', { text: 'x' }],
        ['invented', {}],
      ],
      'call_2',
    )
    expect(
      reports.map(({ tool, callId, status, characters, error }) => [
        tool,
        callId,
        status,
        characters,
        error?.type,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['fine', 'call_1', 'ok', 3, undefined],
        ['fine', 'call_2', 'denied', 12, 'refused'],
        ['unknown', 'call_3', 'failed', expect.any(Number), 'not_found'],
      ]),
    )
    expect(reports).toHaveLength(3)
    expect(reports.find((one) => one.callId === 'call_1')).toMatchObject({
      sessionId: 'session-1',
      requester: 'feishu:ou_1',
      address: { chatId: 'oc_1' },
    })
  })
})

describe('article 36: each symptom of the table of troubles is answered by the product', () => {
  const symptoms: [string, () => Promise<void>][] = [
    [
      'no tools: what is missing is named, the others go on',
      async () => {
        using bench = workbench()
        const catalogue = createToolCatalogue([
          {
            tools: () => bench.tools,
            problem: (tool) => (tool.risk === 'command' ? 'install bubblewrap' : undefined),
          },
        ])
        const list = catalogue.summaries(
          { botId: 'b', platform: 'feishu', mayOperate: true },
          createTranslate('en'),
        )
        expect(list.filter((one) => one.problem).map((one) => one.name)).toEqual([
          'run_command',
          'start_command',
        ])
        expect(errorOf(await bench.call('run_command', { command: 'id' }))).toMatchObject({
          type: 'unavailable',
          hint: 'install bubblewrap',
        })
        expect(textOf(await bench.call('list_directory', {}))).toBe('No entries.')
      },
    ],
    [
      'wrong parameters',
      async () => {
        using bench = workbench({ sandbox })
        expect(errorOf(await bench.call('read_file', { pth: 'a' })).message).toContain('did you mean')
      },
    ],
    [
      'a result that is not what it should be',
      async () => {
        const broken = fakeTool('broken', true, () => Promise.reject(new Error('boom')))
        const { results } = await engine([broken], [['broken', { text: '' }]])
        expect(results[0]).toMatchObject({ ok: false, text: expect.stringContaining('The tool broke') })
      },
    ],
    [
      'timeout',
      async () => {
        using bench = workbench({ sandbox })
        const result = await bench.call('run_command', { command: 'sleep 9', timeout_ms: 1_000 })
        expect(errorOf(result)).toMatchObject({
          type: 'timeout',
          hint: expect.stringContaining('Raise timeout_ms'),
        })
      },
    ],
    [
      'the wrong tool',
      async () => {
        const { results } = await engine([fakeTool('read_file', true, ok)], [['readfile', {}]])
        expect(results[0]?.text).toContain('did you mean "read_file"')
      },
    ],
    [
      'context overflow',
      async () => {
        using bench = workbench({ sandbox })
        bench.put('many', 'word\n'.repeat(100_000))
        for (const [name, args] of [
          ['read_file', { path: 'many' }],
          ['search_content', { pattern: 'word', max_results: 500 }],
          ['run_command', { command: 'cat many' }],
        ] as const)
          expect(textOf(await bench.call(name, args)).length, name).toBeLessThan(8_192)
      },
    ],
  ]
  it.each(symptoms)('article 36: %s', (_name, check) => check())
})
