import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorWords } from '../../../src/cli/error-words.ts'
import { languageOf } from '../../../src/cli/language.ts'
import { FORMS } from '../../../src/config/explain.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { Locale } from '../../../src/protocol/ports.ts'

function folderWith(yaml?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-language-'))
  if (yaml !== undefined) writeFileSync(join(folder, 'yizhan.yaml'), yaml)
  return folder
}

const wordsIn = (error: AppError, locale: Locale) => errorWords(error, locale, createTranslate(locale))

describe('the language of the terminal', () => {
  it.each([
    ['locale: en', { LANG: 'zh_CN.UTF-8' }, 'en'],
    ['locale: zh-CN', { LANG: 'en_US.UTF-8' }, 'zh-CN'],
    ['locale: en\nnonsense: [1', { LANG: 'zh_CN.UTF-8' }, 'en'],
    ['locale: martian', { LANG: 'en_US.UTF-8' }, 'en'],
    ['dataDir: ./d', { LANG: 'en_GB.UTF-8' }, 'en'],
    [undefined, { LANG: 'zh_CN.UTF-8' }, 'zh-CN'],
    [undefined, { LC_ALL: 'de_DE.UTF-8', LANG: 'zh_CN.UTF-8' }, 'en'],
    [undefined, { LANG: 'C.UTF-8' }, 'zh-CN'],
    [undefined, {}, 'zh-CN'],
  ])('%j and %j: %s', (yaml, env, language) => {
    expect(languageOf(undefined, env, folderWith(yaml))).toBe(language)
  })

  it('of a file that is not there is the terminal’s', () => {
    expect(languageOf('nowhere.yaml', { LANG: 'en_US' }, folderWith())).toBe('en')
  })
})

describe('the words of an error', () => {
  it('are those of the language, with what to do', () => {
    const params = { host: '127.0.0.1', port: 8787, reason: 'EADDRINUSE' }
    const error = new AppError('http.port_in_use', 'port 8787 is held', { hint: 'stop it', params })
    expect(wordsIn(error, 'zh-CN').message).toBe('127.0.0.1 的 8787 端口被别的程序占用了')
    expect(wordsIn(error, 'zh-CN').hint).toContain('server.port')
    expect(wordsIn(error, 'en').message).toBe('port 8787 on 127.0.0.1 is in use by another program')
  })

  it('of one that chats know keep the links of its hint', () => {
    const error = new AppError('feishu.bad_secret', 'the secret is wrong', {
      hint: 'Copy it again from https://open.feishu.cn/app/cli_1/baseinfo, then restart.',
    })
    expect(wordsIn(error, 'zh-CN')).toEqual({
      message: '飞书应用凭证不正确，请管理员检查 App ID 和 App Secret',
      hint: 'https://open.feishu.cn/app/cli_1/baseinfo',
    })
    expect(wordsIn(error, 'en').message).toBe('the secret is wrong')
  })

  it('without any are its own', () => {
    const error = new AppError('odd.one', 'odd', { hint: 'do this' })
    expect(wordsIn(error, 'zh-CN')).toEqual({ message: 'odd', hint: 'do this' })
  })

  it('of a configuration: every line, in the language', () => {
    try {
      parseConfig('sever: 1\nlog: { level: loud }\naccess: { admins: [x] }\nredis: "${R}"', {
        ...{ file: 'yizhan.yaml', env: {}, needs: [] },
      })
      expect.unreachable()
    } catch (error) {
      if (!isAppError(error)) throw error
      const { message, hint } = wordsIn(error, 'zh-CN')
      expect(message).toBe(
        [
          '配置有 4 处问题：',
          '  yizhan.yaml:1  不认识的配置项“sever”（位置：最外层）',
          '      → 是不是想写“server”？',
          '  yizhan.yaml:2  log.level：不在可选的值里',
          '      → 可以写：debug, info, warn, error。',
          '  yizhan.yaml:3  access.admins 第 1 项：应为“平台:编号”，例如 feishu:ou_0123 或 wecom:zhangsan',
          '      → 正确的写法见 deploy/yizhan.example.yaml。',
          '  yizhan.yaml:4  redis 用到的 ${R} 没有设置',
          '      → 请设置环境变量 R，或把 R_FILE 设为存放这个值的文件路径。',
        ].join('\n'),
      )
      expect(hint).toContain('deploy/yizhan.example.yaml')
    }
  })

  it('of the schema are in the locale files as they are in the schema', () => {
    const en = createTranslate('en')
    for (const [message, key] of FORMS) expect(en(key)).toBe(message)
  })
})
