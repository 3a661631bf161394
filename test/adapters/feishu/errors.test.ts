import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FeishuConfig } from '../../../adapters/feishu/config.ts'
import { platformCode, platformError } from '../../../adapters/feishu/errors.ts'
import type { FeishuBotConfig } from '../../../src/config/schema.ts'
import { hasText } from '../../../src/locale/index.ts'

const app = { appId: 'cli_0123456789abcdef', domain: 'lark' }
const error = (code: number, status = 400): ReturnType<typeof platformError> =>
  platformError(app, { code, status, message: 'ext=receive_id', logId: '2026' })

describe('platformError', () => {
  it.each([
    [230002, 'feishu.bot_not_in_chat', false],
    [230011, 'feishu.target_gone', false],
    [230020, 'feishu.rate_limited', true],
    [11232, 'feishu.rate_limited', true],
    [230049, 'feishu.rate_limited', true],
    [99991400, 'feishu.rate_limited', true],
    [99991672, 'feishu.scope_missing', false],
    [230099, 'feishu.card_refused', false],
    [230025, 'feishu.too_long', false],
    [10014, 'feishu.bad_secret', false],
    [99999, 'feishu.refused', false],
  ])('R21: %i is %s, retryable: %s', (code, expected, retryable) => {
    expect(error(code)).toMatchObject({ code: expected, retryable, params: { platformCode: code } })
    expect(platformCode(error(code))).toBe(code)
  })

  it('an unknown code with a server error is retryable', () => {
    expect(error(2200, 500)).toMatchObject({ code: 'feishu.unreachable', retryable: true })
    expect(error(2200, 429)).toMatchObject({ code: 'feishu.rate_limited', retryable: true })
  })

  it('says what happened, with the log id, and where to click', () => {
    expect(error(99991672).message).toBe('Feishu 99991672: ext=receive_id (log id 2026)')
    expect(error(99991672).hint).toContain('https://open.larksuite.com/app/cli_0123456789abcdef/auth')
  })
})

describe('the room’s texts', () => {
  const root = new URL('../../../adapters/feishu/', import.meta.url).pathname
  const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('simulator'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n')
  const keys = [...new Set([...source.matchAll(/'(feishu\.[a-z_.]+)'/g)].map((match) => match[1] ?? ''))]

  it.each(keys)('%s can be said in both languages', (key) => {
    const isText = key.split('.').length > 2 || key === 'feishu.everyone'
    const wanted = isText ? key : `error.${key}`
    expect([hasText('zh-CN', wanted), hasText('en', wanted)]).toEqual([true, true])
  })
})

describe('the configuration', () => {
  it('of yizhan.yaml is what the adapter takes', () => {
    const bot: FeishuBotConfig = {
      id: 'ops',
      platform: 'feishu',
      appId: 'cli_0123456789abcdef',
      appSecret: 's',
      domain: 'feishu',
      transport: 'websocket',
      answerAll: false,
    }
    const config: FeishuConfig = bot
    expect(config.id).toBe('ops')
  })
})
