import { describe, expect, it } from 'vitest'
import { createTexts } from '../../../src/console/pages/text.ts'
import { en as pageEn } from '../../../src/console/pages/texts/en.ts'
import { en } from '../../../src/locale/en/index.ts'
import { createTranslate } from '../../../src/locale/index.ts'

describe('a text', () => {
  it.each([
    ['wecom.live.steps', 1, '1 step'],
    ['wecom.live.steps', 12, '12 steps'],
    ['wecom.approval.days', 1.5, '1.5 days'],
    ['demo.report_count', 1, 'The workspace has 1 file.'],
    ['demo.report_count', 0, 'The workspace has 0 files.'],
    ['command.status_waiting', 1, '1 message is waiting'],
  ])('%s with %d counts like a person: %s', (key, count, words) => {
    expect(createTranslate('en')(key, { count })).toBe(words)
  })

  it('leaves a hole that nothing fills as it stands', () => {
    expect(createTranslate('en')('demo.report_count')).toContain('{count:file|files}')
  })

  it('of the page does the same', () => {
    const storage = { getItem: () => 'en', setItem: () => {} } as unknown as Storage
    const { t } = createTexts(storage, 'en')
    expect([1, 2].map((count) => t('mcp.count', { count }))).toEqual(['1 tool', '2 tools'])
  })

  it('counts by a number that it also says', () => {
    for (const [key, text] of [...Object.entries(en), ...Object.entries(pageEn)])
      for (const [, name] of text.matchAll(/\{(\w+):/g)) expect(text, key).toContain(`{${name}}`)
  })
})
