import { join, resolve } from 'node:path'
import type { Config } from './schema.ts'

/**
 * Where everything is kept. The playground has a folder of its own below: its people and chats are simulated, and
 * must never meet those of a company.
 */
export function dataDirOf({ dataDir, bots }: Pick<Config, 'dataDir' | 'bots'>): string {
  return bots.length === 0 ? join(resolve(dataDir), 'playground') : resolve(dataDir)
}
