import { describe, expect, it } from 'vitest'
import { reportStage } from './stage.ts'

const { shown } = reportStage()

describe('tool failures', () => {
  it('are counted by tool and kind, with the newest message', async () => {
    expect(await shown('tool_failures')).toEqual([
      '**工具失败情况** · 昨天（11月29日）',
      '',
      '- 调用次数：**4 次**（较前一天 ↑ 300%，前一天为 1 次）',
      '- 失败次数：**3 次**（前一天为 0）',
      '- 失败率：**75%**（较前一天 ↑ 75 个百分点，前一天为 0%）',
      '',
      '| 工具 | 错误 | 失败 | 调用 | 最近一次 |',
      '| :--- | :--- | ---: | ---: | :--- |',
      '| shell | timeout | 2 | 3 | 超过 90 秒 |',
      '| read_file | not_found | 1 | 1 | 没有 a.txt |',
    ])
  })
})
