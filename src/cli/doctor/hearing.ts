/**
 * When each bot was last heard. A bot that is connected and hears nothing is the most common state
 * after a first set-up: no error is shown anywhere, so the doctor names what is usually missing.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { lastHeard } from '../../store/repositories/inbox.ts'
import { openStore } from '../../store/store.ts'
import type { Setup } from '../setup.ts'

export async function checkHearing({ loaded, logger }: Setup): Promise<Diagnosis[]> {
  const { config } = loaded
  const dataDir = resolve(config.dataDir)
  if (config.database === undefined && !existsSync(join(dataDir, 'yizhan.db'))) {
    return [{ check: 'data', ok: true, detail: `${dataDir} (made at the first start)` }]
  }
  try {
    const store = await openStore({ dataDir, database: config.database, logger })
    try {
      const heard = await Promise.all(
        config.bots.map(async ({ id }) => describe(id, await lastHeard(store.db, id))),
      )
      return [{ check: 'data', ok: true, detail: dataDir }, ...heard]
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isAppError(error)) throw error
    return [{ check: 'data', ok: false, detail: error.message, fix: error.hint }]
  }
}

function describe(botId: string, at: number | undefined): Diagnosis {
  const check = `${botId}:heard`
  if (at !== undefined) return { check, ok: true, detail: `last event ${new Date(at).toISOString()}` }
  return {
    check,
    ok: true,
    unseen: true,
    detail:
      'no event has ever come from this bot. While the service runs, write "@bot /whoami" in a group. ' +
      'If nothing is answered: is the bot in that group, is the person in its visible range, are the ' +
      'events subscribed, and is a version published?',
  }
}
