/** The demo corp's reimbursements of one week, as they were filed and acted on. */
import type { FormAct, FormControl } from './form.ts'

export interface Expense {
  who: string
  travel?: boolean
  reason: string
  lines: [item: string, amount: string][]
  acts: FormAct[]
}

const AGREE: FormAct = { type: 'approve', by: 'wangfang', speech: '同意' }
const LEADER: FormAct = { type: 'approve', by: 'lisi', speech: '情况属实' }

/** In filing order through the week; what was acted on is acted on the same day. */
export const EXPENSES: Expense[] = [
  {
    who: 'zhangsan',
    travel: true,
    reason: '上海客户现场部署',
    lines: [
      ['高铁票', '1106.00'],
      ['住宿两晚', '980.00'],
      ['市内交通', '126.50'],
    ],
    acts: [LEADER, AGREE, { type: 'pay', by: 'zhaomin' }],
  },
  {
    who: 'sunqi',
    reason: '展会物料',
    lines: [
      ['易拉宝 4 个', '520.00'],
      ['宣传册 300 份', '1350.00'],
    ],
    acts: [LEADER, AGREE],
  },
  { who: 'zhaomin', reason: '办公用品采购', lines: [['打印纸 10 箱', '1690.00']], acts: [LEADER, AGREE] },
  {
    who: 'zhangsan',
    reason: '团队聚餐',
    lines: [['聚餐 8 人', '1288.00']],
    acts: [{ type: 'reject', by: 'lisi', speech: '缺少发票，补齐后重新提交' }],
  },
  {
    who: 'lisi',
    reason: '云服务器续费',
    lines: [['标准型 4 台', '6240.00']],
    acts: [{ type: 'withdraw', by: 'lisi' }],
  },
  {
    who: 'sunqi',
    travel: true,
    reason: '广州渠道大会',
    lines: [
      ['机票往返', '1860.00'],
      ['住宿三晚', '1470.00'],
    ],
    acts: [LEADER],
  },
  {
    who: 'lisi',
    reason: '测试机采购',
    lines: [['测试手机 2 台', '5998.00']],
    acts: [LEADER, { type: 'comment', by: 'wangfang', text: '请补充采购合同' }],
  },
  { who: 'zhangsan', reason: '技术书籍', lines: [['分布式系统等 5 本', '436.80']], acts: [] },
]

/** Sum of amounts with two decimals, in whole cents. */
const sumOf = (lines: Expense['lines']): string => {
  const cents = lines.reduce((sum, [, amount]) => sum + Math.round(Number(amount) * 100), 0)
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

/** The form's controls; `fileId` names the invoice. */
export function contentsOf(expense: Expense, fileId: string): FormControl[] {
  const children = expense.lines.map(([item, amount]) => ({
    list: [
      { control: 'Text' as const, id: 'Text-31', title: '费用项目', value: { text: item } },
      { control: 'Money' as const, id: 'Money-32', title: '金额', value: { new_money: amount } },
    ],
  }))
  return [
    { control: 'Textarea', id: 'Textarea-1', title: '报销事由', value: { text: expense.reason } },
    { control: 'Money', id: 'Money-2', title: '报销金额', value: { new_money: sumOf(expense.lines) } },
    { control: 'Table', id: 'Table-3', title: '费用明细', value: { children } },
    { control: 'File', id: 'File-4', title: '发票', value: { files: [{ file_id: fileId }] } },
  ]
}
