import { describe, expect, it } from 'vitest'
import { parseGrants } from '../../../src/policy/grant.ts'
import { judge } from './question.ts'

const tool = {
  tool: 'browser_click',
  risk: 'control' as const,
  group: 'browser',
  bound: { tool: 'browser_click', args: { ref: 'e5' } },
}
const grant = { group: 'browser', requester: 'feishu:ou_1', approvalId: 'x', expiresAt: 2_000 }

describe('grants of a group of tools', () => {
  it('asks for the group, and allows it once it is granted', () => {
    expect(judge({}, tool)).toMatchObject({ effect: 'ask', rule: 'default:control', group: 'browser' })
    expect(judge({}, { ...tool, grants: [grant] })).toMatchObject({ effect: 'allow', rule: 'grant:x' })
  })

  it('C19: holds for the same person, the same group and its time only', () => {
    const effect = (question: Parameters<typeof judge>[1]) =>
      judge({}, { ...tool, grants: [grant], ...question }).effect
    expect(effect({ requester: 'feishu:ou_2' })).toBe('ask')
    expect(effect({ group: 'computer' })).toBe('ask')
    expect(effect({ group: undefined })).toBe('ask')
    expect(effect({ now: 2_000 })).toBe('ask')
  })

  it('holds in a tainted session, where everything after the first page is', () => {
    expect(judge({}, { ...tool, grants: [grant], tainted: true }).effect).toBe('allow')
  })

  it('P3/N8: covers nothing that may carry something out of a tainted session; that is asked for alone', () => {
    const bound = { ...tool.bound, carriesOut: true as const }
    const answer = judge({}, { ...tool, bound, grants: [grant], tainted: true })
    expect(answer.effect).toBe('ask')
    expect(answer.group).toBeUndefined()
    expect(judge({}, { ...tool, bound, grants: [grant] }).effect).toBe('allow')
  })

  it('a rule that denies or asks stands above it', () => {
    const rules = (effect: 'deny' | 'ask') => ({ rules: [{ tool: 'browser_*', effect }] })
    expect(judge(rules('deny'), { ...tool, grants: [grant] }).effect).toBe('deny')
    expect(judge(rules('ask'), { ...tool, grants: [grant] }).effect).toBe('ask')
  })

  it('reads both kinds of grants, and no mixture', () => {
    const command = { argv: ['ls'], cwd: '/w', requester: 'a:b', approvalId: 'y', expiresAt: 9 }
    expect(parseGrants(JSON.stringify([grant, command]))).toEqual([grant, command])
    expect(parseGrants(JSON.stringify([{ ...grant, group: '' }]))).toEqual([])
  })
})
