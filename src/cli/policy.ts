/** Shows what the rules say about a command, without running it. */
import { createAccess } from '../policy/access.ts'
import { createCommandAnalyser } from '../policy/command/analysis.ts'
import { describeFinding } from '../policy/finding.ts'
import { createPolicy } from '../policy/policy.ts'
import { AppError } from '../protocol/errors.ts'
import type { Translate } from '../protocol/ports.ts'
import type { Command } from './command.ts'
import { setUp } from './setup.ts'

/** Stands for a session's workspace; rules about paths are judged against it. */
const WORKSPACE = '/workspace'

export const policy: Command = async (input) => {
  const [command] = input.args
  if (command === undefined) {
    throw new AppError('cli.no_command', 'policy needs a command', {
      hint: 'For example: npm run policy -- "git status"',
    })
  }
  const { loaded, clock } = setUp(input, { level: 'warn', needs: ['approval', 'access'] })
  const { text } = input
  const analysis = await createCommandAnalyser().analyse(command, { cwd: WORKSPACE, workspace: WORKSPACE })
  const answer = createPolicy(loaded.config, createAccess(loaded.config)).judge({
    tool: 'shell',
    risk: 'command',
    bound: { tool: 'shell', args: { command }, command, cwd: WORKSPACE },
    analysis,
    requester: 'cli:nobody',
    address: { botId: 'policy', chatId: 'policy', chatType: 'group' },
    workspace: WORKSPACE,
    grants: [],
    tainted: false,
    now: clock.now(),
  })
  const effect = text(`cli.policy.effect.${answer.effect}`)
  const form = text(`cli.policy.form.${analysis.verdict}`)
  process.stdout.write(`${text('cli.policy.answer', { effect, rule: ruleWords(answer.rule, text), form })}\n`)
  for (const finding of answer.findings) {
    const severity = text(`cli.policy.severity.${finding.severity}`)
    const words = describeFinding(finding, text)
    process.stdout.write(`  ${text('cli.policy.finding', { severity, words })}\n`)
  }
}

/** Which rule has spoken: `rule:2` is the second of the file, `builtin:wipe` one of ours. */
function ruleWords(rule: string, text: Translate): string {
  const [kind = '', name = ''] = rule.split(':')
  return text(`cli.policy.rule.${kind}`, { number: name, name })
}
