import { describe, expect, it } from 'vitest'
import { checkTools } from '../../../../src/cli/doctor/tools.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createManualClock } from '../../../support/clock.ts'

describe('the doctor and the tools that are switched on', () => {
  const lack = { key: 'cell', params: {}, message: 'bwrap missing. Install: apt-get install bubblewrap' }

  it('names what is missing and the command that installs it', async () => {
    const config = configSchema.parse({ browser: { enabled: true }, computer: { enabled: true } })
    const cells = { problem: async () => lack }
    const found = await checkTools(config, createManualClock(), cells)
    expect(found.slice(0, 2)).toMatchObject([
      { check: 'browser', ok: false, detail: 'bwrap missing.', fix: 'apt-get install bubblewrap' },
      { check: 'computer', ok: false, fix: 'apt-get install bubblewrap' },
    ])
  })

  it('says nothing of what is off, and that a search without a source may fail', async () => {
    const found = await checkTools(configSchema.parse({}), createManualClock())
    expect(found.map((one) => one.check)).toEqual(['search'])
    expect(found[0]).toMatchObject({ ok: true, unseen: true, detail: expect.stringContaining('Bing') })
  })
})
