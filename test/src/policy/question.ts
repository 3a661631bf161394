import { configSchema } from '../../../src/config/schema.ts'
import { createAccess } from '../../../src/policy/access.ts'
import { createCommandAnalyser } from '../../../src/policy/command/analysis.ts'
import { createPolicy, type PolicyQuestion } from '../../../src/policy/policy.ts'

const analyser = createCommandAnalyser()
const base: PolicyQuestion = {
  tool: 'shell',
  risk: 'command',
  bound: { tool: 'shell', args: {} },
  analysis: undefined,
  requester: 'feishu:ou_1',
  address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
  workspace: '/w',
  grants: [],
  tainted: false,
  now: 1_000,
}

/** Judges a question that differs from a plain command in a group. */
export function judge(approval: object, question: Partial<PolicyQuestion>, access: object = {}) {
  const config = configSchema.parse({ approval, access })
  return createPolicy(config, createAccess(config)).judge({ ...base, ...question })
}

/** Analyses and judges a command in `/w`. */
export async function run(
  command: string,
  approval: object,
  question: Partial<PolicyQuestion> = {},
  access: object = {},
) {
  const analysis = await analyser.analyse(command, { cwd: '/w', workspace: '/w' })
  return judge(
    approval,
    { bound: { tool: 'shell', args: {}, command, cwd: '/w' }, analysis, ...question },
    access,
  )
}
