/** In-process twins of what an adapter is handed, and one place for its test configuration. */

import type { WecomConfig } from '../../../adapters/wecom/config.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createCallScheduler } from '../../../src/outbound/scheduler.ts'
import type { AdapterDeps, OwnerLock, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { ZONE } from '../../support/zone.ts'

/** A lock that several adapters of one test share; the first holder keeps it until released. */
export function createTestLock(): OwnerLock & { as(owner: string): OwnerLock } {
  const held = new Map<string, string>()
  const as = (owner: string): OwnerLock => ({
    acquire: async (name) => {
      const holder = held.get(name) ?? owner
      held.set(name, holder)
      return holder === owner
    },
    release: async (name) => void (held.get(name) === owner && held.delete(name)),
  })
  return { ...as('one'), as }
}

export function testDeps(
  clock: Clock,
  lines: CollectedLine[] = [],
  lock: OwnerLock = createTestLock(),
): AdapterDeps {
  return {
    clock,
    random: createSeededRandom('wecom'),
    logger: createCollectingLogger(lines),
    locale: 'zh-CN',
    text: createTranslate('zh-CN'),
    zone: ZONE,
    scheduler: createCallScheduler(clock),
    lock,
  }
}

export function testConfig(change: Partial<WecomConfig> = {}): WecomConfig {
  return {
    id: 'oa',
    name: '运维助手',
    groupRobots: {},
    streamLimitSeconds: 360,
    groupCards: 'reply',
    imageBytes: 2 * 1024 * 1024,
    ...change,
  }
}

export function options(key: string, change: Partial<SendOptions> = {}): SendOptions {
  return { key, priority: 'high', ...change }
}
