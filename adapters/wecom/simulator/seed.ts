/**
 * A demo corp: a finance group with an approver, and reimbursement forms of this week in several states.
 * Plain calls of the control interface, nothing that a person could not have done in the admin page.
 */
import type { WecomControl } from './control.ts'
import { contentsOf, EXPENSES } from './seed-expenses.ts'

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
