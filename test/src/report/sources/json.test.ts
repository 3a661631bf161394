import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import { type JsonFetch, readJson } from '../../../../src/report/sources/json.ts'

const LIMITS = { rows: 100, bytes: 10_000, timeoutMs: 1_000 }
const source = {
  name: 'rates',
  url: 'https://erp.example/rates',
  headers: { authorization: 'Bearer t' },
  rows: 'data.items',
}
const signal = new AbortController().signal
const answering =
  (body: string, status = 200): JsonFetch =>
  async () => ({ status, body: Buffer.from(body) })

describe('a JSON source', () => {
  it('gives the list at the given place; every key of every object is a column', async () => {
    const asked: unknown[] = []
    const fetch: JsonFetch = async (url, request) => {
      asked.push([url, request.headers, request.maxBytes, request.timeoutMs])
      return {
        status: 200,
        body: Buffer.from('{"data":{"items":[{"币种":"USD","汇率":7.1},{"币种":"EUR","备注":{"a":1}}]}}'),
      }
    }

    expect(await readJson(source, LIMITS, fetch, signal)).toEqual({
      columns: ['币种', '汇率', '备注'],
      rows: [
        ['USD', 7.1, null],
        ['EUR', null, '{"a":1}'],
      ],
    })
    expect(asked).toEqual([
      [source.url, { accept: 'application/json', authorization: 'Bearer t' }, 10_000, 1_000],
    ])
  })

  it.each([
    ['{"data":{"list":[]}}', 'report.source_unreadable', 'There is: list.'],
    [
      '{"data":{"items":[1,2]}}',
      'report.source_unreadable',
      'Set "rows" to where the list is, e.g. data.items.',
    ],
    ['<html>', 'report.source_unreadable', 'The address must answer with JSON in UTF-8.'],
  ])('%s is refused with what to do', async (body, code, hint) => {
    await expect(readJson(source, LIMITS, answering(body), signal)).rejects.toMatchObject({ code, hint })
  })

  it('an error of the server may pass, a refused address does not', async () => {
    await expect(readJson(source, LIMITS, answering('{}', 503), signal)).rejects.toMatchObject({
      code: 'report.source_unavailable',
      retryable: true,
    })
    const refusing: JsonFetch = async () => {
      throw new AppError('net.blocked_address', 'not public')
    }
    await expect(readJson(source, LIMITS, refusing, signal)).rejects.toMatchObject({
      code: 'net.blocked_address',
    })
  })
})
