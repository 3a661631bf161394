import { describe, expect, it } from 'vitest'
import { parseGrants } from '../../../src/policy/grant.ts'
import { run } from './question.ts'

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
    const bound = { tool: 'shell', args: {}, command: 'touch a', cwd: '/w', env: { A: 'b' } }
    expect((await run('touch a', {}, { grants, bound })).effect).toBe('ask')
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

  it('C19: given for one tool in one sandbox it covers no other tool, and no wider sandbox', async () => {
    const grants = [{ ...grant, tool: 'shell', profile: 'bubblewrap net=none' }]
    const bound = {
      tool: 'shell',
      args: {},
      command: 'touch a',
      cwd: '/w',
      sandboxProfile: 'bubblewrap net=none',
    }
    const effect = async (change: object): Promise<string> =>
      (await run('touch a', {}, { grants, bound: { ...bound, ...change } })).effect
    expect(await effect({})).toBe('allow')
    expect(await effect({ tool: 'start_command' })).toBe('ask')
    expect(await effect({ sandboxProfile: 'bubblewrap net=host' })).toBe('ask')
  })

  it.each([
    '',
    'null',
    '{}',
    '[1]',
    '[{"argv":[],"cwd":"/w","requester":"a:b","approvalId":"x","expiresAt":9}]',
  ])('what cannot be read grants nothing: %j', (json) => {
    expect(parseGrants(json)).toEqual([])
  })
})
