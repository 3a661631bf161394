import { describe, expect, it } from 'vitest'
import { wecomError } from '../../../adapters/wecom/errors.ts'
import { hasText } from '../../../src/locale/index.ts'

/** Every code of the contract with WeCom, and what becomes of it. */
const CODES: Record<number, [code: string, retryable: boolean]> = {
  [-1]: ['wecom.busy', true],
  6000: ['wecom.stream_open', true],
  40001: ['wecom.bad_secret', false],
  40003: ['wecom.unknown_member', false],
  40007: ['wecom.media_gone', false],
  40008: ['wecom.bad_request', false],
  40013: ['wecom.bad_corp_id', false],
  40014: ['wecom.token_rejected', true],
  40056: ['wecom.bad_agent', false],
  42001: ['wecom.token_rejected', true],
  42014: ['wecom.card_refused', false],
  42045: ['wecom.card_refused', false],
  43012: ['wecom.callback_missing', false],
  45009: ['wecom.rate_limited', true],
  48002: ['wecom.api_not_permitted', false],
  50003: ['wecom.app_disabled', false],
  60011: ['wecom.out_of_range', false],
  60020: ['wecom.ip_not_trusted', false],
  81013: ['wecom.no_receiver', false],
  93000: ['wecom.robot_gone', false],
  93006: ['wecom.chat_gone', false],
  301025: ['wecom.approval_bad_parameter', false],
  301055: ['wecom.approval_not_permitted', false],
  846605: ['wecom.reply_expired', false],
  846607: ['wecom.rate_limited', true],
  846608: ['wecom.stream_expired', false],
  846609: ['wecom.not_connected', true],
  999999: ['wecom.refused', false],
}

describe('wecomError', () => {
  for (const [errcode, [code, retryable]] of Object.entries(CODES)) {
    it(`${errcode} is ${code}`, () => {
      const error = wecomError(Number(errcode), 'x', 'message/send')

      expect(error).toMatchObject({ code, retryable, params: { errcode: Number(errcode) } })
      expect(error.hint).not.toBe('')
    })
  }

  it('wecom 26: 60020 tells the address that must be trusted', () => {
    const words =
      'not allow to access from your ip, hint: [1767], from ip: 203.0.113.7, more info at https://x'

    expect(wecomError(60020, words, 'gettoken')).toMatchObject({
      message: `gettoken: errcode 60020: ${words} (our address: 203.0.113.7)`,
      params: { errcode: 60020, ip: '203.0.113.7' },
      retryable: false,
    })
  })

  it('wecom 30: 301055 says where to click', () => {
    expect(wecomError(301055, 'no permission', 'oa/getapprovalinfo').hint).toContain(
      'Approval → API → apps that may call',
    )
  })

  it('what people can meet in a chat has words for them', () => {
    const codes = [
      'ip_not_trusted',
      'approval_not_permitted',
      'card_refused',
      'outcome_unknown',
      'file_too_large',
    ]

    for (const code of codes) {
      expect(hasText('zh-CN', `error.wecom.${code}`)).toBe(true)
      expect(hasText('en', `error.wecom.${code}`)).toBe(true)
    }
  })
})
