import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentsObject } from '../../../src/protocol/tool-arguments.ts'

describe('argumentsObject', () => {
  it('reads an object, and takes nothing for an empty one', () => {
    expect(argumentsObject('{"path":"a"}')).toEqual({ path: 'a' })
    expect(argumentsObject(' \n')).toEqual({})
  })

  it.each(['{"path":', '[1]', 'null', '"text"', '12'])(
    'wraps %s, so that the model sees what it wrote',
    (json) => {
      expect(argumentsObject(json)).toEqual({ invalid_json: json })
    },
  )

  it('R9: ten thousand texts each become one object that JSON keeps', { timeout: 60_000 }, () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.json().chain((json) => fc.nat(json.length).map((end) => json.slice(0, end))),
      fc.constant(`{"a":"${'\ud83d'.repeat(3_000)}`),
    )
    fc.assert(
      fc.property(text, (json) => {
        const value = argumentsObject(json)
        expect(Array.isArray(value)).toBe(false)
        const again: unknown = JSON.parse(JSON.stringify(value))
        expect(typeof again).toBe('object')
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      }),
      { numRuns: 10_000, seed: 20_260_105 },
    )
  })
})
