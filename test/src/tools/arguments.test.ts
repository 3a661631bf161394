import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AnyTool, ToolError } from '../../../src/protocol/tool.ts'
import { parseArguments } from '../../../src/tools/arguments.ts'
import { shippedTools } from '../../support/shipped-tools.ts'

const fieldsShape = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) })
const fieldsOf = (tool: AnyTool): string[] =>
  Object.keys(fieldsShape.parse(z.toJSONSchema(tool.input, { io: 'input' })).properties)

/** The error of a call, and the example that it gives. */
function refused(tool: AnyTool, args: object): { error: ToolError; example: Record<string, unknown> } {
  const parsed = parseArguments(tool, JSON.stringify(args))
  if (parsed.ok) expect.fail(`${tool.name} accepts ${JSON.stringify(args)}`)
  const text = /^For example (\{.*\})\.$/s.exec(parsed.error.hint)?.[1]
  if (text === undefined) expect.fail(`${tool.name} gives no example: ${parsed.error.hint}`)
  return { error: parsed.error, example: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) }
}

let tools: readonly AnyTool[]
beforeAll(async () => {
  const { chat, workstation } = await shippedTools()
  tools = [...new Map([...chat, ...workstation].map((tool) => [tool.name, tool])).values()]
})

describe('wrong arguments, for every tool there is', () => {
  it('a field that does not exist is refused by its name, and the example is a call that is accepted', () => {
    expect(tools.length).toBeGreaterThan(58)
    for (const tool of tools) {
      const { error, example } = refused(tool, { not_a_field: 1 })
      expect(error.type, tool.name).toBe('invalid_argument')
      expect(error.message, tool.name).toContain('there is no field "not_a_field"')
      expect(JSON.stringify(example), tool.name).not.toContain('…')
      expect(parseArguments(tool, JSON.stringify(example)), tool.name).toMatchObject({ ok: true })
    }
  })

  it('each field of the wrong kind is named, with an example of that very field that is accepted', () => {
    for (const tool of tools)
      for (const field of fieldsOf(tool)) {
        const what = `${tool.name}.${field}`
        const { example: least } = refused(tool, { not_a_field: 1 })
        const { error, example } = refused(tool, { ...least, [field]: null })
        expect(error.message, what).toContain(`"${field}`)
        expect(example[field], what).toBeDefined()
        expect(example[field], what).not.toBe('…')
        expect(parseArguments(tool, JSON.stringify(example)), what).toMatchObject({ ok: true })
      }
  })
})
