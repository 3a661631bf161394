import { describe, expect, it } from 'vitest'
import { headingOf } from '../../../../src/cli/doctor/finding.ts'
import { createTranslate } from '../../../../src/locale/index.ts'

describe('the name of a check', () => {
  it.each([
    ['running:loop', '运行中：事件循环'],
    ['running:threads', '运行中：线程池'],
    ['running:store', '运行中：数据库'],
    ['running:bot:ops', '运行中：bot:ops'],
    ['model:main', '模型 main'],
    ['ops:heard', 'ops：收到消息'],
  ])('%s is “%s” in Chinese', (check, words) => {
    expect(headingOf(check, createTranslate('zh-CN'))).toBe(words)
  })
})
