import { describe, expect, it } from 'vitest'
import { CODE_PATTERN, createCode } from '../../../src/approval/code.ts'
import { parseDecisionText } from '../../../src/approval/decision-text.ts'
import { createSystemRandom } from '../../../src/system/random.ts'

describe('approvals in words', () => {
  it.each([
    '允许 ABC234',
    '允许ABC234',
    ' 允许：abc234 ',
    '同意 ABC234。',
    '批准　ＡＢＣ２３４',
    'approve ABC234',
    'Approve abc234!',
    'ABC234 允许',
    'OK ABC234',
    '允许\nABC234',
  ])('%j allows once', (text) => {
    expect(parseDecisionText(text)).toEqual({
      decision: 'allow',
      code: 'ABC234',
      scope: 'once',
      explicit: true,
    })
  })

  it.each(['允许 ABC234 本会话', 'approve ABC234 session', 'approve ABC234 for this session'])(
    '%j allows for the session',
    (text) => {
      expect(parseDecisionText(text)).toEqual({
        decision: 'allow',
        code: 'ABC234',
        scope: 'session',
        explicit: true,
      })
    },
  )

  it.each([
    ['拒绝 ABC234', undefined],
    ['拒绝ABC234 先备份', '先备份'],
    ['deny ABC234 because it is risky', 'because it is risky'],
    ['拒绝：ABC234，先备份一下', '先备份一下'],
    ['ABC234 拒绝 太危险', '太危险'],
    ['ＤＥＮＹ　ＡＢＣ２３４', undefined],
  ])('%j denies with %j', (text, reason) => {
    expect(parseDecisionText(text)).toEqual({
      decision: 'deny',
      code: 'ABC234',
      scope: 'once',
      explicit: true,
      ...(reason ? { reason } : {}),
    })
  })

  it.each([
    '不允许 ABC234',
    '允许 ABC234 不要',
    '别批准 ABC234',
    'do not approve ABC234',
    "don't approve ABC234",
    '允许 拒绝 ABC234',
    'approve ABC234 no',
    '不同意 ABC234',
  ])('%j: a refusal word always wins', (text) => {
    expect(parseDecisionText(text)).toMatchObject({ decision: 'deny', code: 'ABC234' })
  })

  it.each([
    'approve',
    '/approve id',
    '允许',
    'ABC234',
    '允许 上传文件',
    'approve update',
    '可以允许 ABC234 吗',
    '允许 ABC234？',
    '允许 ABC234 XYZ567',
    '允许 ABC23',
    '允许 ABC2345',
    '允许 ABI234',
    '允许 ABC201',
    '谁来批准 ABC234',
    `允许 ABC234 ${'x'.repeat(600)}`,
    '我说的是允许 ABC234 这个口令',
    '',
  ])('C4: %j is no decision', (text) => {
    expect(parseDecisionText(text)).toBeUndefined()
  })

  it.each(['CAS234 这个接口别用', '请不要改 CAS234 模块', 'the CAS234 build is not green'])(
    '%j is no explicit refusal: it may be ordinary talk',
    (text) => {
      expect(parseDecisionText(text)).toMatchObject({ decision: 'deny', explicit: false })
    },
  )

  it('makes codes that it reads', () => {
    const codes = Array.from({ length: 200 }, () => createCode(createSystemRandom()))
    expect(codes.every((code) => CODE_PATTERN.test(code))).toBe(true)
    expect(new Set(codes).size).toBeGreaterThan(195)
  })
})
