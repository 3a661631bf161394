import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { createAccess } from '../../../src/policy/access.ts'
import { createCommandAnalyser } from '../../../src/policy/command/analysis.ts'
import { createPolicy, type PolicyAnswer } from '../../../src/policy/policy.ts'

const analyser = createCommandAnalyser()
const WORKSPACE = '/srv/ws'

async function judge(
  command: string,
  rules: readonly object[],
  options: { grants?: boolean; mode?: 'ask' | 'never' } = {},
): Promise<PolicyAnswer> {
  const config = configSchema.parse({ approval: { rules, mode: options.mode ?? 'ask' } })
  const grant = { argv: ['ls'], cwd: WORKSPACE, requester: 'feishu:ou_1', approvalId: 'a', expiresAt: 1e15 }
  return createPolicy(config, createAccess(config)).judge({
    tool: 'terminal_write',
    risk: 'command',
    bound: { tool: 'terminal_write', args: {}, command, cwd: WORKSPACE, keystrokes: true },
    analysis: await analyser.analyse(command, { cwd: WORKSPACE, workspace: WORKSPACE }),
    requester: 'feishu:ou_1',
    address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
    workspace: WORKSPACE,
    grants: options.grants ? [grant] : [],
    tainted: false,
    now: 0,
  })
}

describe('what is typed into a running terminal', () => {
  it('asks by default, and is never offered for the whole session', async () => {
    const answer = await judge('ls', [])
    expect(answer.effect).toBe('ask')
    expect(answer.grant).toBeUndefined()
  })

  it('S1: a rule for a program does not allow it: another program may be listening', async () => {
    expect((await judge('ls', [{ program: 'ls', effect: 'allow' }])).effect).toBe('ask')
    expect((await judge('ls', [{ tool: 'terminal_write', program: 'ls', effect: 'allow' }])).effect).toBe(
      'ask',
    )
    expect((await judge('ls', [{ effect: 'allow' }])).effect).toBe('ask')
  })

  it('an earlier click for a command does not cover it', async () => {
    expect((await judge('ls', [], { grants: true })).effect).toBe('ask')
  })

  it('a rule that names the tool allows plain lines, and nothing that hides characters or joins commands', async () => {
    const rules = [{ tool: 'terminal_write', effect: 'allow' }]
    expect((await judge('ls', rules)).effect).toBe('allow')
    for (const data of ['ls; rm x', 'ls\nrm x', '\u0003', 'ls\r'])
      expect((await judge(data, rules)).effect, JSON.stringify(data)).toBe('ask')
  })

  it('S20: deny rules and the wiping of a root hold as for any command', async () => {
    const denied = [
      { program: 'rm', effect: 'deny' },
      { tool: 'terminal_write', effect: 'allow' },
    ]
    expect((await judge('rm x', denied)).effect).toBe('deny')
    expect(await judge('rm -rf /', [], { mode: 'never' })).toMatchObject({
      effect: 'deny',
      rule: 'builtin:wipe',
    })
  })
})
