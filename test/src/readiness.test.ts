import { describe, expect, it } from 'vitest'
import type { Bots } from '../../src/bots.ts'
import type { Sandbox } from '../../src/protocol/sandbox.ts'
import { createReadiness } from '../../src/readiness.ts'
import type { Store } from '../../src/store/store.ts'
import { createRecordingAdapter } from '../support/recording-adapter.ts'

interface Broken {
  store?: string
  sandbox?: string
  bot?: string
  walls?: string
  loopMs?: number
  poolMs?: number
  leaving?: AbortSignal
}

function stage(
  broken: Broken,
  findBreaches: () => Promise<readonly string[]> = async () => (broken.walls ? [broken.walls] : []),
) {
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
    stalls: { loopMs: () => broken.loopMs ?? 0, poolMs: async () => broken.poolMs ?? 0, forget: () => {} },
    findBreaches,
    leaving: broken.leaving ?? new AbortController().signal,
  })
}

describe('R40: readiness', () => {
  it('is given when the store writes, the sandbox works and the bots are connected', async () => {
    expect(await stage({}).ready()).toEqual([
      { check: 'loop', ok: true, detail: '' },
      { check: 'threads', ok: true, detail: '' },
      { check: 'store', ok: true, detail: '' },
      { check: 'sandbox', ok: true, detail: '' },
      { check: 'bot:ops', ok: true, detail: '' },
    ])
  })

  it.each([
    ['store', { store: 'the disk is full' }, 'the disk is full'],
    ['sandbox', { sandbox: 'bwrap is missing' }, 'bwrap is missing'],
    ['sandbox', { walls: 'read /etc/shadow' }, 'the sandbox does not refuse: read /etc/shadow'],
    ['bot:ops', { bot: 'secret refused' }, 'reconnecting secret refused'],
  ])('is not given when %s is broken, and says why', async (check, broken, detail) => {
    const bad = (await stage(broken).ready()).filter(({ ok }) => !ok)
    expect(bad).toEqual([{ check, ok: false, detail }])
  })

  it('R28: is not given any more once the service was told to stop', async () => {
    const bad = (await stage({ leaving: AbortSignal.abort() }).ready()).filter(({ ok }) => !ok)
    expect(bad).toEqual([{ check: 'service', ok: false, detail: 'it is stopping' }])
  })

  it('R35: is not given while the loop or the thread pool is stuck, and says for how long', async () => {
    expect((await stage({ loopMs: 501 }).ready())[0]).toEqual({
      check: 'loop',
      ok: false,
      detail: 'the event loop stood still for 501 ms',
    })
    expect((await stage({ poolMs: 2_000 }).ready())[1]).toMatchObject({ check: 'threads', ok: false })
    expect((await stage({ loopMs: 500, poolMs: 500 }).ready()).every(({ ok }) => ok)).toBe(true)
  })

  it('tries the walls of the sandbox once, not at every question', async () => {
    let tries = 0
    const readiness = stage({}, async () => {
      tries++
      return []
    })
    await readiness.ready()
    await readiness.ready()
    expect(tries).toBe(1)
  })

  it('tries the walls again after a try that failed or saw a hole: a busy machine is not a broken one', async () => {
    const tries = [
      Promise.reject(new Error('the broker is gone')),
      Promise.resolve(['be root']),
      Promise.resolve([]),
    ]
    const readiness = stage({}, () => tries.shift() ?? Promise.reject(new Error('asked once more')))
    const sandbox = async (): Promise<unknown> =>
      (await readiness.ready()).find(({ check }) => check === 'sandbox')
    expect(await sandbox()).toEqual({
      check: 'sandbox',
      ok: false,
      detail: 'the sandbox could not be tried: the broker is gone',
    })
    expect(await sandbox()).toMatchObject({ ok: false, detail: 'the sandbox does not refuse: be root' })
    expect(await sandbox()).toMatchObject({ ok: true })
    expect(await sandbox()).toMatchObject({ ok: true })
  })
})
