import { describe, expect, it } from 'vitest'
import { context, reportStage } from './stage.ts'

const { reports, shown } = reportStage()

describe('usage and cost', () => {
  it('counts the runs of yesterday; money of two currencies is never added up', async () => {
    expect(await shown('usage')).toEqual([
      '**使用量与费用** · 昨天（11月29日）',
      '',
      '- 任务数：**4 次**（较前一天 ↑ 300%，前一天为 1 次）',
      '- 完成率：**66.7%**（较前一天 ↓ 33.3 个百分点，前一天为 100%）',
      '- 输入 token：**4,000**（较前一天 ↑ 300%，前一天为 1,000）',
      '- 输出 token：**400**（较前一天 ↑ 300%，前一天为 100）',
      '- 费用：**0.3 元**（较前一天 ↑ 200%，前一天为 0.1 元）',
      '- 费用：**0.5 美元**（前一天为 0）',
      '- 平均用时：**10 秒**（与前一天持平）',
      '',
      '**各模型的使用量**',
      '',
      '| 模型 | 任务数 | 输入 token | 输出 token | 费用（CNY） | 费用（USD） |',
      '| :--- | ---: | ---: | ---: | ---: | ---: |',
      '| glm | 3 | 3000 | 300 | 0.3 | 0 |',
      '| claude | 1 | 1000 | 100 | 0 | 0.5 |',
      '',
      '**各会话的使用量**',
      '',
      '| 会话 | 任务数 | 输入 token | 输出 token | 费用（CNY） | 费用（USD） |',
      '| :--- | ---: | ---: | ---: | ---: | ---: |',
      '| 财务群 | 2 | 2000 | 200 | 0.3 | 0 |',
      '| oc_2 | 2 | 2000 | 200 | 0 | 0.5 |',
    ])
  })

  it('shows a chat that is no administrator only itself', async () => {
    const lines = await shown('usage', {}, context('feishu:ou_member', 'oc_2'))

    expect(lines[2]).toBe('- 任务数：**2 次**（前一天无数据）')
    expect(lines.join()).not.toContain('财务群')
  })

  it('draws every day of a week, a day without runs as zero', async () => {
    const report = await reports().render('usage', { period: 'last_7_days', attach: ['csv'] }, context())

    expect(report.images.map((image) => image.name)).toEqual(['每天的任务数.png'])
    const [file] = report.files
    const csv = file && 'bytes' in file ? Buffer.from(file.bytes).toString() : ''
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      '\ufeff开始时间,用时（秒）,状态,发起人,会话,模型,步数,输入 token,输出 token,缓存 token,费用,币种',
      '2026-11-28 12:00:00,10,done,张三,财务群,glm,2,1000,100,0,0.1,CNY',
    ])
  })
})
