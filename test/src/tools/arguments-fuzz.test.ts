import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AnyTool } from '../../../src/protocol/tool.ts'
import { parseArguments } from '../../../src/tools/arguments.ts'
import { shippedTools } from '../../support/shipped-tools.ts'

let tools: readonly AnyTool[]
beforeAll(async () => {
  const { chat, workstation } = await shippedTools()
  tools = [...chat, ...workstation]
})

describe('R18: ten thousand arguments that a model wrote', () => {
  it('are what the tool takes, or a complaint that names the tool and shows an example', {
    timeout: 60_000,
  }, () => {
    const key = fc.constantFrom(
      'path',
      'command',
      'cwd',
      'env',
      'url',
      'query',
      'content',
      'todos',
      '__proto__',
      'x',
    )
    const object = fc.dictionary(key, fc.anything()).map((value) => JSON.stringify(value) ?? '')
    const text = fc.oneof(
      object,
      object.chain((json) => fc.nat(json.length).map((end) => json.slice(0, end))),
      fc.json(),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.nat(), text, (at, json) => {
        const tool = tools[at % tools.length]
        if (!tool) throw new Error('there are no tools')
        const parsed = parseArguments(tool, json)
        if (parsed.ok) expect(tool.input.safeParse(parsed.args).success).toBe(true)
        else {
          expect(parsed.error.message).toContain(tool.name)
          expect(parsed.error.hint).not.toBe('')
          expect(parsed.error.message.length + parsed.error.hint.length).toBeLessThan(4_000)
        }
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: 10_000, seed: 20_261_130 },
    )
  })
})
