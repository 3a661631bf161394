import { describe, expect, it } from 'vitest'
import type { FeishuConfig } from '../../../../adapters/feishu/config.ts'
import { createSdkLogger } from '../../../../adapters/feishu/transport/sdk-logger.ts'
import type { SocketEvents } from '../../../../adapters/feishu/transport/socket.ts'
import {
  backOff,
  createSupervisor,
  type Supervisor,
} from '../../../../adapters/feishu/transport/supervisor.ts'
import type { OwnerLock } from '../../../../src/protocol/adapter.ts'
import { createManualClock, type ManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { createSeededRandom } from '../../../support/random.ts'

const config: FeishuConfig = {
  id: 'ops',
  appId: 'cli_0123456789abcdef',
  appSecret: 'secret',
  domain: 'feishu',
  transport: 'websocket',
  answerAll: false,
}

/** A lock that two processes of one test share; `owner` is who holds it. */
function sharedLock(clock: ManualClock): {
  of(process: string): OwnerLock
  owner(): string | undefined
  steal(): void
} {
  let held: { owner: string; until: number } | undefined
  return {
    owner: () => held?.owner,
    steal: () => {
      held = { owner: 'thief', until: Number.POSITIVE_INFINITY }
    },
    of: (owner) => ({
      acquire: async (_name, ttlMs) => {
        if (held && held.owner !== owner && held.until > clock.monotonic()) return false
        held = { owner, until: clock.monotonic() + ttlMs }
        return true
      },
      release: async () => {
        if (held?.owner === owner) held = undefined
      },
    }),
  }
}

function build(
  clock: ManualClock,
  lock: OwnerLock,
): { supervisor: Supervisor; open: () => number; sockets: SocketEvents[] } {
  const sockets: SocketEvents[] = []
  let open = 0
  const supervisor = createSupervisor(config, {
    clock,
    random: createSeededRandom(),
    logger: createCollectingLogger(),
    lock,
    handle: async () => ({}),
    openSocket: async (_config, _logger, events) => {
      sockets.push(events)
      open += 1
      queueMicrotask(() => events.onReady())
      return {
        probe: async () => true,
        close: () => {
          open -= 1
        },
      }
    },
  })
  return { supervisor, open: () => open, sockets }
}

describe('one socket per app', () => {
  it('R37: a second process stands by and takes over when the first stops', async () => {
    const clock = createManualClock()
    const lock = sharedLock(clock)
    const first = build(clock, lock.of('one'))
    const second = build(clock, lock.of('two'))
    await first.supervisor.start()
    await second.supervisor.start()
    expect([first.open(), second.open()]).toEqual([1, 0])
    expect(second.supervisor.status()).toMatchObject({
      state: 'standby',
      detail: expect.stringContaining('standby'),
    })
    await clock.advance(120_000)
    expect([first.open(), second.open()]).toEqual([1, 0])
    await first.supervisor.stop()
    await clock.advance(10_000)
    expect([first.open(), second.open()]).toEqual([0, 1])
    await second.supervisor.stop()
    expect(lock.owner()).toBeUndefined()
  })

  it('R37: closes its socket when another process took the lock', async () => {
    const clock = createManualClock()
    const lock = sharedLock(clock)
    const one = build(clock, lock.of('one'))
    await one.supervisor.start()
    lock.steal()
    await clock.advance(10_000)
    expect(one.open()).toBe(0)
    expect(one.supervisor.status().state).toBe('reconnecting')
    await one.supervisor.stop()
  })

  it('R37: goes on through a database that is away for less than the lock lives', async () => {
    const clock = createManualClock()
    let away = false
    const one = build(clock, {
      acquire: () => (away ? Promise.reject(new Error('away')) : Promise.resolve(true)),
      release: () => Promise.resolve(),
    })
    await one.supervisor.start()
    away = true
    await clock.advance(20_000)
    expect(one.open()).toBe(1)
    await clock.advance(11_000)
    expect(one.open()).toBe(0)
    away = false
    await clock.advance(300_000)
    expect(one.open()).toBe(1)
    await one.supervisor.stop()
  })

  it('a stop in the middle of the first connection ends the start', async () => {
    const clock = createManualClock()
    let closed = false
    const supervisor = createSupervisor(config, {
      clock,
      random: createSeededRandom(),
      logger: createCollectingLogger(),
      lock: sharedLock(clock).of('one'),
      handle: async () => ({}),
      openSocket: async () => ({
        probe: async () => false,
        close: () => {
          closed = true
        },
      }),
    })
    const started = supervisor.start()
    await supervisor.stop()
    await expect(started).resolves.toBeUndefined()
    expect(supervisor.status().state).toBe('stopped')
    expect(closed).toBe(true)
  })

  it('leaves a silent socket alone while it answers', async () => {
    const clock = createManualClock()
    const one = build(clock, sharedLock(clock).of('one'))
    await one.supervisor.start()
    await clock.advance(3_600_000)
    expect(one.sockets).toHaveLength(1)
    await one.supervisor.stop()
  })
})

describe('backOff', () => {
  it.each([
    [0, 0, 0],
    [0, 1, 3_000],
    [1, 0, 1_000],
    [1, 1, 2_000],
    [4, 0, 8_000],
    [20, 1, 120_000],
  ])('after %i failures with jitter %d: %i ms', (failures, random, expected) => {
    expect(backOff(failures, random)).toBe(expected)
  })
})

describe('the SDK’s log', () => {
  it('feishu 30: passes words only, without secret and ticket', () => {
    const logger = createCollectingLogger()
    const sdk = createSdkLogger(logger, 'secret')
    sdk.error(['[ws]', 'failed with secret', { config: { data: '{"app_secret":"secret"}' } }])
    sdk.info(['url ws://h/ws?device_id=1&access_key=abc&ticket=xyz'])
    sdk.debug(['receive message, data: {"text":"private"}'])
    expect(logger.lines.map((line) => line.fields.sdk)).toEqual([
      '[ws] failed with ***',
      'url ws://h/ws?device_id=***&access_key=***&ticket=***',
    ])
  })
})
