import { describe, expect, it } from 'vitest'
import { completeMention, matchMembers, mentionAt, toParts } from '../../../../src/console/pages/draft.ts'
import type { PlaygroundPerson } from '../../../../src/protocol/playground.ts'

const members: readonly PlaygroundPerson[] = [
  { id: 'u1', name: '张三', role: 'member' },
  { id: 'u2', name: '张三丰', role: 'member' },
  { id: 'b', name: '驿站', role: 'bot' },
]

describe('typing a mention', () => {
  it.each([
    ['@', 1, { start: 0, query: '' }],
    ['你好 @张', 5, { start: 3, query: '张' }],
    ['你好@张', 4, { start: 2, query: '张' }],
    ['a@b.com', 7, undefined],
    ['@张三 你好', 6, undefined],
    ['没有', 2, undefined],
  ])('%j at %i', (text, caret, expected) => {
    expect(mentionAt(text, caret)).toEqual(expected)
  })

  it('puts the bot first', () => {
    expect(matchMembers(members, '').map(({ name }) => name)).toEqual(['驿站', '张三', '张三丰'])
    expect(matchMembers(members, '丰').map(({ name }) => name)).toEqual(['张三丰'])
  })

  it('completes in the middle of a text', () => {
    expect(completeMention('请 @驿 看看', { start: 2, query: '驿' }, '驿站')).toEqual({
      text: '请 @驿站 看看',
      caret: 6,
    })
  })
})

describe('what is sent', () => {
  it('mentions the longest name that fits', () => {
    expect(toParts('@张三丰 和 @张三', members)).toEqual([{ at: 'u2' }, ' 和 ', { at: 'u1' }])
  })

  it('leaves addresses and strangers as text', () => {
    expect(toParts('mail a@驿站 @王五', members)).toEqual(['mail a@驿站 @王五'])
  })

  it('keeps an empty text empty', () => {
    expect(toParts('', members)).toEqual([])
  })
})
