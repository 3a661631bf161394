import { describe, expect, it } from 'vitest'
import { createSegmenter } from '../../../src/memory/segmenter.ts'

describe('segmenter', () => {
  it('cuts Chinese into dictionary words and neighbouring pairs, folds case and width', async () => {
    const words = await createSegmenter().words('张三丰提交了报销审批 ＡＰＩ api')
    expect([...words.keys()]).toEqual(expect.arrayContaining(['报销', '审批', '张三', '三丰', 'api']))
    expect(words.get('api')).toBe(2)
    expect(words.has('了')).toBe(false)
  })
})
