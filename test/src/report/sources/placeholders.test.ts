import { describe, expect, it } from 'vitest'
import { bindPlaceholders, placeholdersOf } from '../../../../src/report/sources/placeholders.ts'

describe('placeholders', () => {
  it('are handed over as values, in order, also twice', () => {
    expect(
      bindPlaceholders('a >= :from AND b < :to OR c = :from', { from: '2026-11-29', to: 5 }, (n) => `$${n}`),
    ).toEqual({ query: 'a >= $1 AND b < $2 OR c = $3', values: ['2026-11-29', 5, '2026-11-29'] })
  })

  it.each([
    ['SELECT \':from\', d::date, ":from" FROM t WHERE a = :to -- :from', ['to']],
    ['SELECT `:from` /* :from */, $x$ :from $x$, [:from], :to', ['to']],
    ["SELECT 'it''s :from', :to", ['to']],
  ])('are not looked for in strings, names, comments and casts: %s', (query, names) => {
    expect(placeholdersOf(query)).toEqual(names)
  })

  it('an unknown one is an error that names the known ones', () => {
    expect(() => bindPlaceholders('a = :form', { from: 1 }, () => '?')).toThrow(
      expect.objectContaining({
        code: 'report.unknown_placeholder',
        params: { name: 'form', known: ':from' },
      }),
    )
  })
})
