import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { init } from '../../../src/cli/init.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createTranslate } from '../../../src/locale/index.ts'

const env = { LLM_API_KEY: 'k-1234567890', FEISHU_APP_SECRET: 's-1234567890' }

const text = createTranslate('en')

describe('init', () => {
  let configFile: string
  const run = (): Promise<void> =>
    init({ args: [], configFile, role: undefined, tools: undefined, locale: 'en' as const, text })

  beforeEach(() => {
    configFile = join(mkdtempSync(join(tmpdir(), 'yizhan-init-')), 'yizhan.yaml')
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('K4: writes a file that only its owner reads, and that the service takes as it is', async () => {
    await run()
    expect(statSync(configFile).mode & 0o777).toBe(0o600)
    const { config, secrets } = parseConfig(readFileSync(configFile, 'utf8'), { file: configFile, env })
    expect(config.bots.map(({ id }) => id)).toEqual(['ops'])
    expect([...secrets].sort()).toEqual(Object.values(env).sort())
  })

  it('K4: holds no secret itself', async () => {
    await run()
    const text = readFileSync(configFile, 'utf8')
    for (const name of Object.keys(env)) expect(text).toContain(`: \${${name}}`)
  })

  it('never writes over a file that is there', async () => {
    await run()
    const before = readFileSync(configFile, 'utf8')
    await expect(run()).rejects.toMatchObject({
      code: 'cli.init_exists',
      message: expect.stringContaining('already exists'),
    })
    expect(readFileSync(configFile, 'utf8')).toBe(before)
  })
})
