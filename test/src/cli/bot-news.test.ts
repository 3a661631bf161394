import { describe, expect, it } from 'vitest'
import { createBotNews } from '../../../src/cli/bot-news.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createRedactor } from '../../../src/observability/redact.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { Locale } from '../../../src/protocol/ports.ts'

const SECRET = 'a-secret-of-this-app'

function newsIn(locale: Locale) {
  const said: string[] = []
  const write = (line: string): void => void said.push(line)
  const redact = createRedactor([SECRET])
  return { said, news: createBotNews({ locale, text: createTranslate(locale), redact, write }) }
}

const badSecret = (): AppError =>
  new AppError('feishu.bad_secret', 'Feishu 10014: app secret invalid', {
    hint: 'Copy App ID and App Secret again from https://open.feishu.cn/app/cli_1/baseinfo.',
  })

describe('bots that did not start', () => {
  it('are told below the line that the service runs: one line each, in the operator’s language', () => {
    const { said, news } = newsIn('zh-CN')
    news.onBotFailed('ops', badSecret())
    news.onBotFailed('oa', new Error('no\n  network'))
    expect(said).toEqual([])
    news.announced()
    expect(said).toEqual([
      '✗ ops：没有启动。飞书应用凭证不正确，请管理员检查 App ID 和 App Secret → https://open.feishu.cn/app/cli_1/baseinfo\n',
      '✗ oa：没有启动。no network\n',
    ])
  })

  it('are told at once when that line stands already', () => {
    const { said, news } = newsIn('en')
    news.announced()
    news.onBotFailed('ops', badSecret())
    expect(said).toEqual([
      '✗ ops: not started. Feishu 10014: app secret invalid → Copy App ID and App Secret again from https://open.feishu.cn/app/cli_1/baseinfo.\n',
    ])
  })

  it('are told without secrets that a platform repeats', () => {
    const { said, news } = newsIn('en')
    news.announced()
    news.onBotFailed('ops', new Error(`refused ${SECRET}`))
    expect(said).toEqual(['✗ ops: not started. refused [redacted]\n'])
  })
})
