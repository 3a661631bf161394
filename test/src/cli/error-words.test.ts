import { describe, expect, it } from 'vitest'
import { errorWords } from '../../../src/cli/error-words.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { AppError } from '../../../src/protocol/errors.ts'

describe('the words of an error for an operator', () => {
  const inChinese = (error: AppError) => errorWords(error, 'zh-CN', createTranslate('zh-CN'))

  it('of several lines: the first says what is wrong, the others what to do', () => {
    expect(
      inChinese(new AppError('schedule.bot', 'no bot', { params: { bot: 'opps', known: 'ops' } })),
    ).toEqual({ message: '没有叫“opps”的机器人。', hint: '现有：ops' })
  })

  it('a line break that came with a value divides nothing', () => {
    const error = new AppError('feishu.refused', 'x', { params: { message: 'one\ntwo' } })
    expect(inChinese(error)).toEqual({ message: '飞书拒绝了这次请求：one\ntwo', hint: '' })
  })

  it('no network: a remedy in the reader’s language', () => {
    expect(inChinese(new AppError('feishu.unreachable', 'x', { hint: 'Check the network.' })).hint).toBe(
      '请检查网络、代理和 `domain`（feishu 或 lark）。',
    )
  })
})
