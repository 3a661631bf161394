import { describe, expect, it } from 'vitest'
import type { Bots } from '../../src/bots.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import { createReadiness } from '../../src/readiness.ts'
import type { Store } from '../../src/store/store.ts'
import { createRecordingAdapter } from '../support/recording-adapter.ts'

function stage(broken: { store?: string; sandbox?: string; bot?: string }) {
  const adapter = createRecordingAdapter()
  if (broken.bot) adapter.setStatus({ state: 'reconnecting', detail: broken.bot })
  return createReadiness({
    store: {
      probe: async () => {
        if (broken.store) throw new Error(broken.store)
      },
    } as unknown as Store,
    sandbox: {
      status: () =>
        broken.sandbox ? { kind: 'unavailable', reason: broken.sandbox } : { kind: 'bubblewrap', reason: '' },
    } as unknown as Sandbox,
    bots: { all: () => [adapter] } as unknown as Bots,
  })
}

describe('R40: readiness', () => {
  it('is given when the store writes, the sandbox works and the bots are connected', async () => {
    expect(await stage({}).ready()).toEqual([
      { check: 'store', ok: true, detail: '' },
      { check: 'sandbox', ok: true, detail: '' },
      { check: 'bot:ops', ok: true, detail: '' },
    ])
  })

  it.each([
    ['store', { store: 'the disk is full' }, 'the disk is full'],
    ['sandbox', { sandbox: 'bwrap is missing' }, 'bwrap is missing'],
    ['bot:ops', { bot: 'secret refused' }, 'reconnecting secret refused'],
  ])('is not given when %s is broken, and says why', async (check, broken, detail) => {
    const bad = (await stage(broken).ready()).filter(({ ok }) => !ok)
    expect(bad).toEqual([{ check, ok: false, detail }])
  })
})
