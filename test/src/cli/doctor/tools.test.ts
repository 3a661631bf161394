import { describe, expect, it } from 'vitest'
import { checkTools } from '../../../../src/cli/doctor/tools.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import { createManualClock } from '../../../support/clock.ts'

describe('the doctor and the tools that are switched on', () => {
  const lack = { key: 'cell', params: { what: 'bwrap' }, message: '' }
  const text = createTranslate('zh-CN')

  it('names what is missing and the command that installs it', async () => {
    const config = configSchema.parse({ browser: { enabled: true }, computer: { enabled: true } })
    const cells = { problem: async () => lack }
    const found = await checkTools(config, createManualClock(), text, cells)
    expect(found.slice(0, 2)).toMatchObject([
      { check: 'browser', ok: false, detail: '缺少 bwrap。安装命令：apt-get install bubblewrap util-linux' },
      { check: 'computer', ok: false },
    ])
  })

  it('says nothing of what is off, and that a search without a source may fail', async () => {
    const found = await checkTools(configSchema.parse({}), createManualClock(), text)
    expect(found.map((one) => one.check)).toEqual(['search'])
    expect(found[0]).toMatchObject({ ok: true, unseen: true, detail: expect.stringContaining('必应') })
  })
})
