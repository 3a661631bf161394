/** Whether the Redis of `redis` answers. Nothing is lost without it, so its absence is easily overlooked. */
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Translate } from '../../protocol/ports.ts'

const CONNECT_MS = 3_000

export async function checkRedis({ redis }: Pick<Config, 'redis'>, text: Translate): Promise<Diagnosis[]> {
  if (redis === undefined) return []
  const { Redis } = await import('ioredis')
  const client = new Redis(redis, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    retryStrategy: () => null,
  })
  // The rejection below says the same.
  client.on('error', () => {})
  try {
    await client.connect()
    const info = await client.info('server')
    return [{ check: 'redis', ok: true, detail: /redis_version:(\S+)/.exec(info)?.[1] ?? '' }]
  } catch (error) {
    return [
      {
        check: 'redis',
        ok: false,
        detail: text('doctor.redis.away', { reason: error instanceof Error ? error.message : String(error) }),
        fix: text('doctor.redis.fix'),
      },
    ]
  } finally {
    client.disconnect()
  }
}
