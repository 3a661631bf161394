import { describe, expect, it } from 'vitest'
import { judge, run } from './question.ts'

const [anna, ben] = ['feishu:ou_1', 'feishu:ou_2'] as const
const held = { approvalId: 'x', expiresAt: 2_000 }
const touch = { argv: ['touch', 'a'], cwd: '/w', ...held }
const browser = { group: 'browser', ...held }
const click = { tool: 'browser_click', risk: 'control' as const, group: 'browser' }
const joined = { others: [ben] }

describe('a run that another person’s message has joined', () => {
  it('C19: a grant of the one is not inherited by the words of the other', async () => {
    const grants = [{ ...touch, requester: anna }]
    expect((await run('touch a', {}, { grants })).effect).toBe('allow')
    expect((await run('touch a', {}, { grants, ...joined })).effect).toBe('ask')
    const group = { ...click, grants: [{ ...browser, requester: anna }] }
    expect(judge({}, group).effect).toBe('allow')
    expect(judge({}, { ...group, ...joined }).effect).toBe('ask')
  })

  it('C19: both hold one, or one was given to both: then nobody is asked', async () => {
    const each = [
      { ...touch, requester: anna },
      { ...touch, requester: ben },
    ]
    expect((await run('touch a', {}, { grants: each, ...joined })).effect).toBe('allow')
    const grants = [{ ...touch, requester: anna, others: [ben] }]
    expect((await run('touch a', {}, { grants, ...joined })).effect).toBe('allow')
    expect((await run('touch a', {}, { grants, requester: ben })).effect).toBe('allow')
    expect((await run('touch a', {}, { grants, others: ['feishu:ou_3'] })).effect).toBe('ask')
  })

  it('a rule that allows one person does not allow it for the other; one that denies one denies it', async () => {
    const rule = (user: string, effect: string) => ({ rules: [{ program: 'touch', user, effect }] })
    expect((await run('touch a', rule(anna, 'allow'), joined)).effect).toBe('ask')
    expect((await run('touch a', rule(ben, 'allow'), joined)).effect).toBe('ask')
    expect((await run('touch a', rule(ben, 'deny'), joined)).effect).toBe('deny')
    expect((await run('touch a', { rules: [{ program: 'touch', effect: 'allow' }] }, joined)).effect).toBe(
      'allow',
    )
  })

  it('nobody’s right to operate lends itself to another', () => {
    const write = { tool: 'write_file', risk: 'write' as const, bound: { tool: 'write_file', args: {} } }
    const access = { operate: [anna] }
    expect(judge({}, write, access).effect).toBe('allow')
    expect(judge({}, { ...write, ...joined }, access)).toMatchObject({
      effect: 'deny',
      rule: 'builtin:operate',
    })
  })

  it('P3: what is remembered in one’s name on another’s word is asked about', () => {
    const memory = { tool: 'remember_fact', risk: 'memory' as const }
    expect(judge({}, memory).effect).toBe('allow')
    expect(judge({}, { ...memory, ...joined }).effect).toBe('ask')
  })
})
