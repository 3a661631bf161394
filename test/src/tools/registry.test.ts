import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTranslate } from '../../../src/locale/index.ts'
import { defineTool } from '../../../src/protocol/tool.ts'
import { builtinTools, createToolRegistry, toolsFor } from '../../../src/tools/index.ts'
import { toolBench } from './bench.ts'

const registry = createToolRegistry(builtinTools())
const parse = (name: string, json: string): ReturnType<typeof registry.parse> =>
  registry.parse({ id: 'c1', name, arguments: json })
const complaint = (name: string, json: string): string => {
  const parsed = parse(name, json)
  return parsed.ok ? 'accepted' : `${parsed.error.message} ${parsed.error.hint}`
}

const described = z.looseObject({
  type: z.literal('object'),
  additionalProperties: z.literal(false),
  properties: z.record(z.string(), z.looseObject({ description: z.string().min(10) })),
})

describe('what the model is told', () => {
  it('has the tools under their exact names', () => {
    expect(registry.specs.map((spec) => spec.name)).toEqual([
      'shell',
      'read_file',
      'write_file',
      'edit_file',
      'grep',
      'glob',
      'git_diff',
      'todo_write',
      'feishu_send_file',
      'wecom_send_file',
    ])
  })

  it.each(registry.specs.map((spec) => [spec.name, spec] as const))(
    '%s: every field is described, none is open',
    (_name, spec) => {
      expect(spec.description.length).toBeGreaterThan(60)
      expect(described.safeParse(spec.parameters).success).toBe(true)
    },
  )

  it('is the same bytes each time, and small', () => {
    const bytes = JSON.stringify(createToolRegistry(builtinTools()).specs)
    expect(JSON.stringify(registry.specs)).toBe(bytes)
    expect(bytes.length).toBeLessThan(10_000)
  })

  it('has a sending tool only on its own platform', () => {
    expect(toolsFor('feishu', builtinTools()).map((tool) => tool.name)).not.toContain('wecom_send_file')
    expect(toolsFor('wecom', builtinTools()).map((tool) => tool.name)).toContain('wecom_send_file')
  })

  it('has a title for people in both languages', () => {
    for (const locale of ['zh-CN', 'en'] as const) {
      const text = createTranslate(locale)
      const title = registry.find('shell')?.title({ command: 'uname -a\nls' }, text)
      expect(title).toBe(locale === 'en' ? 'Run: uname -a ls' : '运行命令：uname -a ls')
    }
  })
})

it('M24: a title shows no character that hides or turns text around', () => {
  const title = registry
    .find('shell')
    ?.title({ command: 'ls \u202e\u200bfdp.exe\u0007' }, createTranslate('en'))
  expect(title).toBe('Run: ls fdp.exe')
})

describe('arguments', () => {
  it('are checked and completed with defaults', () => {
    expect(parse('shell', '{"command":"ls"}')).toMatchObject({
      ok: true,
      args: { command: 'ls', cwd: '.', timeout_ms: 120_000, env: {} },
    })
  })

  it('R18: broken JSON is repaired when only closing brackets are missing', () => {
    expect(parse('shell', '{"command":"echo }","env":{"A":"["}')).toMatchObject({
      ok: true,
      args: { command: 'echo }', env: { A: '[' } },
    })
    expect(parse('todo_write', '{"todos":[{"content":"a","status":"pending"')).toMatchObject({ ok: true })
  })

  it('R18: JSON cut inside a string is never completed, for content would be lost', () => {
    expect(complaint('write_file', '{"path":"a","content":"half of')).toMatch(
      /ends inside a string.*\{"path":"docs\/notes.md"/,
    )
  })

  it('R18: other broken JSON goes back with the reason and an example', () => {
    expect(complaint('shell', "{'command': 'ls'}")).toMatch(
      /not JSON: .*For|not JSON: .*example \{"command":"npm test"\}/,
    )
  })

  it('a fault names the field, what was wrong, and an example', () => {
    expect(complaint('read_file', '{"path":"a","start_line":0}')).toMatch(
      /read_file: field "start_line": .* For example \{"path":"src\/main.ts","start_line":1\}/,
    )
    expect(complaint('read_file', '{}')).toMatch(/field "path"/)
  })

  it('an unknown field is refused with the nearest one, even when the right one is missing', () => {
    expect(complaint('shell', '{"comand":"ls"}')).toMatch(/no field "comand", did you mean "command"/)
  })

  it('R18: an unknown tool is answered with the nearest name and the list', () => {
    expect(complaint('read_fil', '{}')).toMatch(
      /no tool "read_fil"; did you mean "read_file"\? The tools are: shell, /,
    )
  })
})

describe('the registry', () => {
  it('M2: refuses two tools of one name', () => {
    const [tool] = builtinTools()
    expect(() => createToolRegistry(tool ? [tool, tool] : [])).toThrow('two tools are named shell')
  })

  it('binds to the arguments when a tool says no more', async () => {
    using bench = toolBench()
    const tool = defineTool({
      name: 'noop',
      description: 'Does nothing.',
      input: z.strictObject({ n: z.number() }),
      readOnly: true,
      risk: 'read',
      title: () => 'noop',
      run: () => Promise.resolve({ ok: true, text: '' }),
    })
    const bound = await createToolRegistry([tool]).bind(tool, { n: 1 }, bench.context())
    expect(bound).toEqual({ ok: true, bound: { tool: 'noop', args: { n: 1 } } })
  })
})
