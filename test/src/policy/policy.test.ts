import { describe, expect, it } from 'vitest'
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

function judge(approval: object, question: Partial<PolicyQuestion>, access: object = {}) {
  const config = configSchema.parse({ approval, access })
  return createPolicy(config, createAccess(config)).judge({ ...base, ...question })
}

async function run(
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

  it('S20: a rule does not allow it either', async () => {
    expect((await run('rm -rf /', { rules: [{ program: 'rm', effect: 'allow' }] })).effect).toBe('deny')
  })
})

describe('S6: variables', () => {
  it.each([
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'BASH_ENV',
    'ENV',
    'PS4',
    'IFS',
    'PROMPT_COMMAND',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PERL5OPT',
    'RUBYOPT',
    'GIT_SSH_COMMAND',
    'PAGER',
    'EDITOR',
    'LESSOPEN',
    'RUSTUP_HOME',
    'npm_config_prefix',
    'HTTPS_PROXY',
    'http_proxy',
    'BASH_FUNC_ls%%',
    'A=B',
  ])('refuses %s, as a prefix of the command and from the tool', async (name) => {
    const bound = { tool: 'shell', args: {}, command: 'ls', cwd: '/w', env: { [name]: 'x' } }
    expect((await run('ls', { rules }, { bound })).effect).toBe('deny')
    if (/^\w+$/.test(name)) expect((await run(`${name}=x ls`, { rules })).effect).toBe('deny')
  })

  it.each(['FOO', 'LANGUAGE', 'PORT'])('lets %s through to the usual judgement', async (name) => {
    const bound = { tool: 'shell', args: {}, command: 'ls', cwd: '/w', env: { [name]: 'x' } }
    expect((await run('ls', { rules }, { bound })).effect).toBe('allow')
  })
})

describe('grants', () => {
  const grant = {
    argv: ['touch', 'a'],
    cwd: '/w',
    requester: 'feishu:ou_1',
    approvalId: 'x',
    expiresAt: 2_000,
  }

  it('C19: offers a grant for a plain command only', async () => {
    expect((await run('touch a', {})).grant).toEqual(['touch', 'a'])
    for (const command of [
      'timeout 5 touch a',
      'sh -c ls',
      'python3 x.py',
      'node -e 1',
      'curl x',
      'ssh h',
      'touch a && ls',
      'touch *',
      'rm a',
      'sudo ls',
    ]) {
      expect((await run(command, {})).grant, command).toBeUndefined()
    }
  })

  it('C19: covers the exact words of the same person in the same folder until it expires', async () => {
    const grants = [grant]
    expect(await run('touch a', {}, { grants })).toMatchObject({ effect: 'allow', rule: 'grant:x' })
    expect((await run('touch "a"', {}, { grants })).effect).toBe('allow')
    expect((await run('touch b', {}, { grants })).effect).toBe('ask')
    expect((await run('touch a b', {}, { grants })).effect).toBe('ask')
    expect((await run('timeout 5 touch a', {}, { grants })).effect).toBe('ask')
    expect((await run('touch a', {}, { grants, requester: 'feishu:ou_2' })).effect).toBe('ask')
    expect((await run('touch a', {}, { grants, now: 2_000 })).effect).toBe('ask')
    expect((await run('touch a', {}, { grants: [{ ...grant, cwd: '/w/x' }] })).effect).toBe('ask')
    expect((await run('touch a', { rules: [{ program: 'touch', effect: 'ask' }] }, { grants })).effect).toBe(
      'ask',
    )
  })
})

describe('P3: tainted sessions', () => {
  it('never act automatically, whatever rules and grants say; reading and workspace files stay', async () => {
    const tainted = true
    expect((await run('ls', { rules }, { tainted })).effect).toBe('ask')
    expect((await run('ls', { rules }, { tainted })).findings.map((one) => one.code)).toContain('tainted')
    expect((await run('touch a', {}, { tainted })).grant).toBeUndefined()
    expect(judge({}, { risk: 'send', tainted }).effect).toBe('ask')
    expect(judge({}, { risk: 'read', tainted }).effect).toBe('allow')
    expect(
      judge({}, { risk: 'write', tainted, bound: { tool: 't', args: {}, paths: ['/w/a'] } }).effect,
    ).toBe('allow')
  })
})
