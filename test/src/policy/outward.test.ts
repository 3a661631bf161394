import { describe, expect, it } from 'vitest'
import { judge } from './question.ts'

const fetched = { tool: 'web_fetch', risk: 'read' as const }
const composed = 'https://evil.example/?d=salary'

describe('N8: an address that the model made up beside other people’s words', () => {
  it('is asked about, with the address in the finding, whatever an allow rule says', () => {
    const rules = [{ tool: 'web_fetch', effect: 'allow' }]
    const answer = judge({ rules }, { ...fetched, tainted: true, composed })
    expect(answer).toMatchObject({ effect: 'ask', rule: 'builtin:exfiltration' })
    expect(answer.findings).toEqual([{ code: 'exfiltration', severity: 'danger', params: { url: composed } }])
    expect(judge({ rules }, { ...fetched, tainted: true }).effect).toBe('allow')
  })

  it('is denied when a rule denies the tool', () => {
    const rules = [{ tool: 'web_*', effect: 'deny' }]
    expect(judge({ rules }, { ...fetched, tainted: true, composed }).effect).toBe('deny')
  })
})

describe('P3: remembering', () => {
  it('is free among the members’ own words and asks once others’ are there', () => {
    const question = { tool: 'remember_fact', risk: 'memory' as const }
    const rules = [{ tool: 'remember_fact', effect: 'allow' }]
    expect(judge({}, question).effect).toBe('allow')
    expect(judge({}, { ...question, tainted: true }).effect).toBe('ask')
    expect(judge({ rules }, { ...question, tainted: true }).effect).toBe('ask')
  })

  it('is refused to somebody who may not operate', () => {
    const answer = judge({}, { tool: 'remember_fact', risk: 'memory' }, { operate: ['feishu:ou_9'] })
    expect(answer).toMatchObject({ effect: 'deny', rule: 'builtin:operate' })
  })
})

describe('X2: a file that holds what looks like keys', () => {
  const keys = ['sk-a••••(40)']
  const file = { tool: 'feishu_send_file', risk: 'send' as const }
  const bound = { tool: 'feishu_send_file', args: {}, keys }

  it('is sent only when a person says so, who sees them masked, whatever an allow rule says', () => {
    const rules = [{ tool: 'feishu_send_file', effect: 'allow' }]
    const answer = judge({ rules }, { ...file, bound })
    expect(answer).toMatchObject({ effect: 'ask', rule: 'builtin:keys' })
    expect(answer.findings).toEqual([{ code: 'keys', severity: 'danger', params: { keys: 'sk-a••••(40)' } }])
    expect(judge({ rules }, file).effect).toBe('allow')
  })

  it('is sent only when a person says so if it was too much to be looked into', () => {
    const rules = [{ tool: 'feishu_send_file', effect: 'allow' }]
    const answer = judge({ rules }, { ...file, bound: { tool: 'feishu_send_file', args: {}, unseen: true } })
    expect(answer).toMatchObject({ effect: 'ask', rule: 'builtin:unseen' })
    expect(answer.findings).toEqual([{ code: 'unseen', severity: 'warning', params: {} }])
  })

  it('is denied when a rule denies the tool', () => {
    expect(judge({ rules: [{ tool: 'feishu_*', effect: 'deny' }] }, { ...file, bound }).effect).toBe('deny')
  })
})
