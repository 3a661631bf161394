import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTranslate } from '../../../../src/locale/index.ts'
import { defineTool } from '../../../../src/protocol/tool.ts'
import { createToolCatalogue } from '../../../../src/tools/catalogue.ts'
import { createToolRegistry } from '../../../../src/tools/index.ts'
import { textOf } from '../bench.ts'
import { workbench } from './workbench.ts'

const DOMAINS = {
  files: ['list_directory', 'read_file', 'write_file', 'file_info', 'find_files'],
  system: ['list_processes', 'process_info', 'system_status', 'disk_usage'],
  text: ['search_content', 'text_stats', 'diff_files', 'read_latest'],
  commands: ['run_command', 'start_command', 'command_status', 'stop_command'],
  environment: ['environment_static', 'environment_now'],
}

const fieldSchema = z.looseObject({
  type: z.string().optional(),
  description: z.string().min(10),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  enum: z.array(z.string()).optional(),
})
const parametersSchema = z.looseObject({
  type: z.literal('object'),
  additionalProperties: z.literal(false),
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), fieldSchema),
})

function specs() {
  using bench = workbench()
  return createToolRegistry(bench.tools).specs.map((spec) => ({
    ...spec,
    parameters: parametersSchema.parse(spec.parameters),
  }))
}
const fieldsOf = (name: string) =>
  specs().find((spec) => spec.name === name)?.parameters.properties ?? expect.fail(`no tool ${name}`)

describe('the set of workstation tools', () => {
  it('article 1: nineteen tools, each one intent; what varies is a parameter', () => {
    expect(specs()).toHaveLength(19)
    expect(Object.keys(fieldsOf('list_directory'))).toEqual(
      expect.arrayContaining(['recursive', 'hidden', 'sort', 'limit']),
    )
    expect(Object.keys(fieldsOf('search_content'))).toEqual(
      expect.arrayContaining(['mode', 'files_only', 'glob', 'max_results']),
    )
  })

  it('article 2: five domains with two to five tools each', () => {
    expect(
      specs()
        .map((spec) => spec.name)
        .sort(),
    ).toEqual(Object.values(DOMAINS).flat().sort())
    for (const names of Object.values(DOMAINS)) expect(names.length).toBeLessThanOrEqual(5)
  })

  it('article 3: names are two plain words, none vague', () => {
    for (const { name } of specs()) {
      expect(name).toMatch(/^[a-z]+_[a-z]+$/)
      expect(name).not.toMatch(/do_|handle|manage|process_data|util|misc/)
    }
  })

  it('article 4: each has a description for the model and a schema with type, description, required, default and range', () => {
    for (const { name, description, parameters } of specs()) {
      expect(description.length, name).toBeGreaterThan(60)
      for (const [field, schema] of Object.entries(parameters.properties)) {
        expect(schema.type, `${name}.${field}`).toBeDefined()
        if (schema.type === 'integer') {
          expect(schema.minimum, `${name}.${field}`).toBeGreaterThanOrEqual(0)
          expect(schema.maximum, `${name}.${field}`).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER)
        }
        const optional = !parameters.required.includes(field)
        const chosen =
          schema.default !== undefined || /instead of|without it|only |at most/i.test(schema.description)
        if (optional) expect(chosen, `${name}.${field} says what happens without it`).toBe(true)
      }
    }
  })

  it('article 5: descriptions of parameters say what they cost', () => {
    for (const [name, field] of [
      ['list_directory', 'limit'],
      ['list_directory', 'recursive'],
      ['find_files', 'limit'],
      ['search_content', 'max_results'],
      ['search_content', 'files_only'],
      ['list_processes', 'limit'],
      ['read_latest', 'line_count'],
      ['command_status', 'lines'],
    ] as const)
      expect(fieldsOf(name)[field]?.description, `${name}.${field}`).toMatch(
        /costs? (?:far )?(?:more |less )?context/,
      )
  })

  it('article 6: with its defaults a tool needs its subject and nothing else', () => {
    const required = Object.fromEntries(specs().map((spec) => [spec.name, spec.parameters.required]))
    expect(required).toEqual({
      list_directory: [],
      file_info: ['path'],
      read_file: ['path'],
      write_file: ['path', 'content'],
      find_files: [],
      list_processes: [],
      process_info: ['pid'],
      system_status: [],
      disk_usage: [],
      search_content: ['pattern'],
      text_stats: ['path'],
      diff_files: ['before', 'after'],
      read_latest: [],
      run_command: ['command'],
      start_command: ['command'],
      command_status: [],
      stop_command: ['id'],
      environment_static: [],
      environment_now: [],
    })
  })

  it('article 11: searching by content and by name are two tools that point to each other', () => {
    const about = (name: string) => specs().find((spec) => spec.name === name)?.description
    expect(about('search_content')).toContain('By name: find_files')
    expect(about('find_files')).toContain('By content: search_content')
    for (const { description } of specs()) expect(description).not.toMatch(/\bgrep\b|\bshell\b|edit_file/)
  })

  it('article 27: a call goes to the tool of its name with checked arguments; its result has the one form', async () => {
    using bench = workbench()
    bench.put('a.txt', 'x\n')
    const registry = createToolRegistry(bench.tools)
    const wrong = registry.parse({ id: '1', name: 'file_info', arguments: '{"path":7}' })
    expect(wrong).toMatchObject({ ok: false, error: { type: 'invalid_argument' } })
    expect(registry.parse({ id: '2', name: 'fileinfo', arguments: '{}' })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('did you mean "file_info"') },
    })
    expect(await bench.call('file_info', { path: 'a.txt' })).toMatchObject({
      ok: true,
      text: expect.any(String),
    })
    expect(await bench.call('file_info', { path: 'b.txt' })).toMatchObject({
      ok: false,
      error: { type: 'not_found' },
    })
  })

  it('article 28: a tool that a source adds later is listed at the next look, nothing restarts', () => {
    const tools = [...workbench().tools]
    const catalogue = createToolCatalogue([{ tools: () => tools }])
    const scope = { botId: 'ops', platform: 'feishu', mayOperate: true }
    expect(catalogue.forSession(scope)).toHaveLength(19)
    tools.push({ ...(tools[0] ?? expect.fail()), name: 'count_rows', about: 'counts rows' })
    expect(catalogue.forSession(scope).map((tool) => tool.name)).toContain('count_rows')
  })

  it('article 35: enumeration, one safe call, a combined job', async () => {
    using bench = workbench()
    expect(bench.tools).toHaveLength(19)
    expect(textOf(await bench.call('environment_now', {}))).toContain('"working_directory"')
    await bench.call('write_file', { path: 'conf/app.yaml', content: 'port: 80\n# TODO\n' })
    expect(textOf(await bench.call('search_content', { pattern: 'TODO' }))).toContain(
      'conf/app.yaml:2: # TODO',
    )
    expect(textOf(await bench.call('read_latest', { pattern: '*.yaml' }))).toContain('1: port: 80')
  })

  it('article 38: a tool of a special field joins through a source of its own', async () => {
    const csv = defineTool({
      name: 'csv_columns',
      description: 'Names the columns of a CSV file.',
      about: 'columns of a CSV file',
      input: z.strictObject({ text: z.string().describe('The CSV text itself.') }),
      readOnly: true,
      risk: 'read',
      title: () => 'CSV',
      run: async ({ text }) => ({ ok: true, text: (text.split('\n')[0] ?? '').split(',').join(' | ') }),
    })
    using bench = workbench()
    const catalogue = createToolCatalogue([{ tools: () => bench.tools }, { tools: () => [csv] }])
    const tools = catalogue.forSession({ botId: 'ops', platform: 'wecom', mayOperate: false })
    expect(tools.map((tool) => tool.name)).toContain('csv_columns')
    expect(catalogue.titleOf('csv_columns', '{"text":"a,b"}', createTranslate('en'))).toBe('CSV')
  })
})
