/**
 * A demo corp: a finance group with an approver, and reimbursement forms of this week in several states.
 * Plain calls of the control interface, nothing that a person could not have done in the admin page.
 */
import type { WecomControl } from './control.ts'
import type { FormAct, FormControl } from './form.ts'

export const DEMO = {
  corpId: 'ww0123456789abcdef',
  aibotId: 'aibqYizhanDemo',
  aibotSecret: 'demo-long-connection-secret',
  botName: '驿站',
  agentId: 1_000_002,
  appSecret: 'demo-app-secret',
  robotKey: 'demo-robot-key',
  financeGroup: 'wrkDemoFinanceGroup',
  opsGroup: 'wrkDemoOpsGroup',
  admin: 'wangfang',
} as const

const SHANGHAI_OFFSET_MS = 8 * 3_600_000
const DAY_MS = 86_400_000
const EXPENSE = 'demo-template-expense'
const TRAVEL = 'demo-template-travel'

function seedPeople({ corp }: WecomControl): void {
  corp.department({ id: 2, name: '财务部', parentId: 1, leaders: ['wangfang'] })
  corp.department({ id: 3, name: '研发部', parentId: 1, leaders: ['lisi'] })
  corp.department({ id: 4, name: '市场部', parentId: 1 })
  corp.member({ userid: 'wangfang', name: '王芳', departments: [2], leads: [2], position: '财务经理' })
  corp.member({ userid: 'zhaomin', name: '赵敏', departments: [2], position: '会计' })
  corp.member({
    userid: 'zhangsan',
    name: '张三',
    departments: [3],
    directLeaders: ['lisi'],
    position: '工程师',
  })
  corp.member({ userid: 'lisi', name: '李四', departments: [3], leads: [3], position: '研发经理' })
  corp.member({ userid: 'sunqi', name: '孙琪', departments: [4], position: '市场专员' })
  corp.bot({ botId: DEMO.aibotId, name: DEMO.botName, secret: DEMO.aibotSecret })
  corp.app({
    agentId: DEMO.agentId,
    name: '驿站应用',
    secret: DEMO.appSecret,
    visible: { departments: [1] },
    approvalAccess: true,
  })
  corp.group({
    chatId: DEMO.financeGroup,
    name: '报销与财务群',
    members: ['wangfang', 'zhaomin', 'zhangsan', 'lisi', 'sunqi'],
    bots: [DEMO.aibotId],
    robots: [{ key: DEMO.robotKey, name: '财务日报' }],
  })
  corp.group({
    chatId: DEMO.opsGroup,
    name: '研发值班群',
    members: ['lisi', 'zhangsan', 'wangfang'],
    bots: [DEMO.aibotId],
  })
}

function seedTemplates({ approvals }: WecomControl): void {
  const controls = [
    { control: 'Textarea', id: 'Textarea-1', title: '报销事由', required: true },
    { control: 'Money', id: 'Money-2', title: '报销金额', required: true },
    { control: 'Table', id: 'Table-3', title: '费用明细' },
    { control: 'File', id: 'File-4', title: '发票' },
  ]
  approvals.template({ templateId: EXPENSE, name: '费用报销', controls })
  approvals.template({ templateId: TRAVEL, name: '差旅报销', controls })
}

interface Expense {
  who: string
  travel?: boolean
  reason: string
  lines: [item: string, amount: string][]
  acts: FormAct[]
}

const AGREE: FormAct = { type: 'approve', by: 'wangfang', speech: '同意' }
const LEADER: FormAct = { type: 'approve', by: 'lisi', speech: '情况属实' }

/** In filing order through the week; what was acted on is acted on the same day. */
const EXPENSES: Expense[] = [
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

function contentsOf(expense: Expense, fileId: string): FormControl[] {
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

/** Monday, 0:00 in Shanghai, of the week that holds `now`. */
function weekStart(now: number): number {
  const day = Math.floor((now + SHANGHAI_OFFSET_MS) / DAY_MS)
  const sinceMonday = (day + 3) % 7
  return (day - sinceMonday) * DAY_MS - SHANGHAI_OFFSET_MS
}

function seedForms({ approvals }: WecomControl, now: number): void {
  const start = weekStart(now)
  const step = (now - start) / (EXPENSES.length + 1)
  for (const [index, expense] of EXPENSES.entries()) {
    const filedAt = start + step * (index + 1)
    const fileId = `WWCISP_demo_${index + 1}`
    const spNo = approvals.file({
      templateId: expense.travel ? TRAVEL : EXPENSE,
      applicant: expense.who,
      filedAt,
      steps: [
        { rule: 'any', approvers: ['lisi'] },
        { rule: 'all', approvers: ['wangfang'] },
      ],
      notify: ['zhaomin'],
      contents: contentsOf(expense, fileId),
      files: {
        [fileId]: { name: `发票-${index + 1}.pdf`, bytes: Buffer.from(`%PDF-1.4 发票 ${expense.reason}`) },
      },
      recordType: 8,
    })
    for (const [count, act] of expense.acts.entries()) {
      approvals.act(spNo, act, filedAt + (step * (count + 1)) / (expense.acts.length + 1))
    }
  }
}

/** Fills an empty simulator. `now` is the clock's wall time; the forms lie between this week's Monday and it. */
export function seedDemo(control: WecomControl, now: number): void {
  seedPeople(control)
  seedTemplates(control)
  seedForms(control, now)
}
