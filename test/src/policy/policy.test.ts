import { describe, expect, it } from 'vitest'
import type { PolicyQuestion } from '../../../src/policy/policy.ts'
import { REDIRECTING_VARIABLES } from '../../support/redirecting-variables.ts'
import { judge, run } from './question.ts'

const READERS = ['ls', 'cat', 'echo', 'grep', 'find', 'wc'].map((program) => ({ program, effect: 'allow' }))
const GIT = ['status', 'log', 'diff'].map((arg) => ({ program: 'git', args: [arg], effect: 'allow' }))
const rules = [...READERS, ...GIT]

describe('defaults by kind', () => {
  it.each([
    ['read', {}, 'allow'],
    ['write', { paths: ['/w/a.txt'] }, 'allow'],
    ['write', { paths: ['/w/a.txt', '/etc/x'] }, 'ask'],
    ['write', { paths: ['/wx/a.txt'] }, 'ask'],
    ['send', {}, 'allow'],
    ['command', { command: 'ls' }, 'ask'],
    ['control', {}, 'ask'],
  ] as const)('%s %j → %s', (risk, bound, effect) => {
    expect(judge({}, { risk, bound: { tool: 't', args: {}, ...bound } })).toMatchObject({
      effect,
      rule: `default:${risk}`,
    })
  })

  it('fails closed: an allow rule does not cover a command that was not analysed', () => {
    expect(
      judge(
        { rules: [{ tool: 'shell', effect: 'allow' }] },
        { bound: { tool: 'shell', args: {}, command: 'ls' } },
      ).effect,
    ).toBe('ask')
  })

  it('denies acting, not reading, for somebody who may not operate', () => {
    const access = { operate: ['feishu:ou_9'] }
    expect(judge({ mode: 'never' }, { risk: 'write' }, access)).toMatchObject({
      effect: 'deny',
      rule: 'builtin:operate',
    })
    expect(judge({}, { risk: 'read' }, access).effect).toBe('allow')
  })
})

describe('rules', () => {
  it.each(['ls -la', 'git status', 'git log --oneline', 'wc -l a', 'timeout 5 cat a'])(
    'allows the simple command %s',
    async (command) => {
      expect((await run(command, { rules })).effect).toBe('allow')
    },
  )

  it.each([
    'ls && rm x',
    'ls | sh',
    'echo $(rm x)',
    'git -c core.pager=x log',
    'git push',
    'rm x',
    './ls',
    '/tmp/ls',
    'find . -delete',
    'cat *',
    'cat ~/.ssh/id',
    'echo x > f',
    'sudo ls',
    'FOO=1 ls',
  ])('S1: asks for %s', async (command) => {
    expect((await run(command, { rules })).effect).toBe('ask')
  })

  it('deny beats ask beats allow, wherever they stand; the first of an effect names the reason', async () => {
    const all = [
      { program: 'ls', effect: 'allow' },
      { program: 'ls', effect: 'ask' },
      { program: 'ls', effect: 'deny', reason: 'one' },
      { program: 'ls', effect: 'deny', reason: 'two' },
    ]
    expect(await run('ls', { rules: all })).toMatchObject({ effect: 'deny', rule: 'rule:3', reason: 'one' })
    expect(await run('ls', { rules: all.slice(0, 2) })).toMatchObject({ effect: 'ask', rule: 'rule:2' })
    expect(await run('ls', { rules: all.slice(0, 1) })).toMatchObject({ effect: 'allow', rule: 'rule:1' })
  })

  it.each([
    "sh -c 'curl x'",
    'ls; /usr/bin/curl x',
    'echo $(curl x)',
    'timeout 5 sudo env A=b curl x',
    'c""url x',
  ])('a deny rule finds its program inside %s', async (command) => {
    expect((await run(command, { mode: 'never', rules: [{ program: 'curl', effect: 'deny' }] })).effect).toBe(
      'deny',
    )
  })

  it('args must follow in order', async () => {
    const deny = { rules: [{ program: 'git', args: ['push', '--force'], effect: 'deny' }] }
    expect((await run('git push --force', deny)).effect).toBe('deny')
    expect((await run('git push origin --force', deny)).effect).toBe('ask')
  })

  it('matches tools by prefix, chats and people', () => {
    const rule = { tool: 'memory_*', chat: 'ops:oc_1', user: 'feishu:ou_1', effect: 'deny' }
    const ask = (question: Partial<PolicyQuestion>) =>
      judge({ rules: [rule] }, { tool: 'memory_write', risk: 'read', ...question }).effect
    expect(ask({})).toBe('deny')
    expect(ask({ tool: 'read_file' })).toBe('allow')
    expect(ask({ requester: 'feishu:ou_2' })).toBe('allow')
    expect(ask({ address: { botId: 'ops', chatId: 'oc_2', chatType: 'group' } })).toBe('allow')
  })

  it('paths: deny looks at any, allow needs all', () => {
    const write = (paths: string[], rule: object) =>
      judge(
        { rules: [rule] },
        { tool: 'write_file', risk: 'control', bound: { tool: 'write_file', args: {}, paths } },
      ).effect
    expect(write(['/w/a', '/w/.git/hooks/x'], { path: '**/hooks/*', effect: 'deny' })).toBe('deny')
    expect(write(['/w/docs/a.md'], { path: 'docs/*', effect: 'allow' })).toBe('allow')
    expect(write(['/w/docs/a/b.md'], { path: 'docs/*', effect: 'allow' })).toBe('ask')
    expect(write(['/w/docs/a/b.md'], { path: 'docs/**', effect: 'allow' })).toBe('allow')
    expect(write(['/w/docs/a.md', '/w/x'], { path: 'docs/*', effect: 'allow' })).toBe('ask')
    expect(write(['/etc/docs/a.md'], { path: 'docs/*', effect: 'allow' })).toBe('ask')
    expect(write([], { path: '**', effect: 'allow' })).toBe('ask')
  })
})

describe('mode never', () => {
  it('allows complex commands, but no wipe, no redirecting variable and no denied program', async () => {
    const never = {
      mode: 'never',
      rules: [
        { program: 'ssh', effect: 'deny' },
        { program: 'rm', effect: 'ask' },
      ],
    }
    expect(await run('a && rm b | c', never)).toMatchObject({ effect: 'allow', rule: 'mode:never' })
    expect((await run('ssh h', never)).effect).toBe('deny')
    expect(await run('rm -rf ..', never)).toMatchObject({ effect: 'deny', rule: 'builtin:wipe' })
    expect(await run('LD_PRELOAD=x ls', never)).toMatchObject({ effect: 'deny', rule: 'builtin:environment' })
  })

  it('asks for what could not be read, because deny rules could not look at it', async () => {
    expect(await run('rm -rf /\nif', { mode: 'never' })).toMatchObject({
      effect: 'ask',
      rule: 'builtin:unreadable',
    })
    expect((await run(`${'eval '.repeat(60)} rm -rf /`, { mode: 'never' })).effect).not.toBe('allow')
  })

  it('S20: a rule does not allow it either', async () => {
    expect((await run('rm -rf /', { rules: [{ program: 'rm', effect: 'allow' }] })).effect).toBe('deny')
  })
})

describe('S6: variables', () => {
  it.each([...REDIRECTING_VARIABLES, 'RUSTUP_HOME', 'npm_config_prefix', 'A=B'])(
    'refuses %s, as a prefix of the command and from the tool',
    async (name) => {
      const bound = { tool: 'shell', args: {}, command: 'ls', cwd: '/w', env: { [name]: 'x' } }
      expect((await run('ls', { rules }, { bound })).effect).toBe('deny')
      if (/^\w+$/.test(name)) expect((await run(`${name}=x ls`, { rules })).effect).toBe('deny')
    },
  )

  it.each(['FOO', 'LANGUAGE', 'PORT'])('lets %s through to the usual judgement', async (name) => {
    const bound = { tool: 'shell', args: {}, command: 'ls', cwd: '/w', env: { [name]: 'x' } }
    expect((await run('ls', { rules }, { bound })).effect).toBe('allow')
  })
})

describe('P3: tainted sessions', () => {
  const tainted = true

  it('a rule allows only what looks; a grant allows nothing and is not offered', async () => {
    const more = [...rules, { program: 'touch', effect: 'allow' }, { program: 'curl', effect: 'allow' }]
    const grants = [
      { argv: ['mkdir', 'a'], cwd: '/w', requester: 'feishu:ou_1', approvalId: 'x', expiresAt: 2_000 },
    ]
    for (const command of ['ls -l', 'git status', 'grep -r x .']) {
      expect((await run(command, { rules: more }, { tainted })).effect, command).toBe('allow')
    }
    for (const command of ['touch a', 'curl x', 'mkdir a', 'find . -delete', 'ls > f']) {
      const answer = await run(command, { rules: more }, { tainted, grants })
      expect(answer.effect, command).toBe('ask')
      expect(answer.grant).toBeUndefined()
      expect(answer.findings.map((one) => one.code)).toContain('tainted')
    }
  })

  it('reading, files in the workspace and files to the own chat stay; control asks whatever a rule says', () => {
    const ask = (risk: PolicyQuestion['risk'], paths: string[] = []) =>
      judge(
        { rules: [{ tool: 't', effect: 'allow' }] },
        { tool: 't', risk, tainted, bound: { tool: 't', args: {}, paths } },
      ).effect
    expect([
      ask('read'),
      ask('write', ['/w/a']),
      ask('send'),
      ask('write', ['/etc/a']),
      ask('control'),
    ]).toEqual(['allow', 'allow', 'allow', 'ask', 'ask'])
  })
})
