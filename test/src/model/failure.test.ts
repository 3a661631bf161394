import { describe, expect, it } from 'vitest'
import { classifyFault, readFault, scrub } from '../../../src/model/failure.ts'

const classify = (status: number | undefined, message: string, kind = ''): string =>
  classifyFault({ status, kind, message, retryAfterMs: undefined }, 'main', []).code

describe('classes of failures', () => {
  it.each([
    [
      'model.overflow',
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
    ],
    ['model.overflow', 400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    ['model.overflow', 400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'],
    ['model.overflow', 400, 'Range of input length should be [1, 129024]'],
    ['model.overflow', 400, 'Prompt 超长'],
    ['model.overflow', 400, '输入内容超过模型上下文长度'],
    ['model.overflow', 413, 'Request Entity Too Large'],
    ['model.rate_limited', 429, 'Request exceeds the maximum tokens per minute of your context'],
    [
      'model.rate_limited',
      429,
      'Rate limit reached: limit 30000 tokens per min, requested 31000. Prompt is too long.',
    ],
    ['model.rate_limited', 400, '您的账户已达到速率限制，请您控制请求频率'],
    ['model.no_balance', 402, 'Insufficient Balance'],
    ['model.no_balance', 429, 'You exceeded your current quota, please check your plan and billing details.'],
    ['model.no_balance', 429, '余额不足或无可用资源包,请充值。'],
    ['model.no_balance', 400, 'Your credit balance is too low to access the Anthropic API.'],
    ['model.auth', 401, 'Incorrect API key provided'],
    ['model.auth', 403, 'forbidden'],
    ['model.unavailable', 500, 'Internal server error'],
    ['model.unavailable', 529, 'Overloaded'],
    ['model.unavailable', undefined, 'Connection error.'],
    ['model.bad_request', 400, 'Unknown parameter: foo'],
    ['model.bad_request', 404, 'The model `x` does not exist'],
  ])('R17 R20: %s for %s "%s"', (code, status, message) => {
    expect(classify(status, message)).toBe(code)
  })

  it('only what passes by itself is tried again', () => {
    const retryable = (status: number, message: string): boolean =>
      classifyFault({ status, kind: '', message, retryAfterMs: 1 }, 'main', []).retryable
    expect([429, 500, 529, 408].map((status) => retryable(status, 'x'))).toEqual([true, true, true, true])
    expect([400, 401, 402, 404, 413].map((status) => retryable(status, 'x'))).toEqual(Array(5).fill(false))
  })

  it('reads the body of both SDKs and Retry-After as seconds, milliseconds or a date', () => {
    const now = Date.UTC(2026, 0, 1)
    const fault = (error: unknown, headers: Record<string, string>) =>
      readFault({ status: 429, headers: new Headers(headers), error, message: 'outer' }, now)
    expect(
      fault(
        { type: 'error', error: { type: 'rate_limit_error', message: 'inner' } },
        { 'retry-after': '2.5' },
      ),
    ).toEqual({
      status: 429,
      kind: 'rate_limit_error error',
      message: 'inner',
      retryAfterMs: 2_500,
    })
    expect(fault({ message: 'm', code: 1302 }, { 'retry-after-ms': '120' })).toMatchObject({
      kind: '1302',
      message: 'm',
      retryAfterMs: 120,
    })
    const date = new Date(now + 9_000).toUTCString()
    expect(fault(undefined, { 'retry-after': date })).toMatchObject({ message: 'outer', retryAfterMs: 9_000 })
  })

  it('K: removes keys from the words of a provider', () => {
    expect(scrub('key zk-live-77 and sk-abcdef123 and Bearer abc.def', ['zk-live-77'])).toBe(
      'key *** and *** and Bearer ***',
    )
  })

  it('names the profile in the hint of an auth error and repeats nothing the provider said', () => {
    const error = classifyFault(
      { status: 401, kind: '', message: 'bad key zzz', retryAfterMs: undefined },
      'glm',
      [],
    )
    expect(error.hint).toContain('models.profiles.glm')
    expect(error.message).not.toContain('zzz')
  })
})
