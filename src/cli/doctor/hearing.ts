/**
 * When each bot was last heard. A bot that is connected and hears nothing is the most common state
 * after a first set-up: no error is shown anywhere, so the doctor names what is usually missing.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirOf } from '../../config/data-dir.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import type { Translate } from '../../protocol/ports.ts'
import { createZoneTime, type ZoneTime } from '../../protocol/zone-time.ts'
import { lastHeard } from '../../store/repositories/inbox.ts'
import { openStore } from '../../store/store.ts'
import type { Setup } from '../setup.ts'
import type { Speech } from './speech.ts'

export async function checkHearing({ loaded, logger }: Setup, speech: Speech): Promise<Diagnosis[]> {
  const { text } = speech
  const zone = createZoneTime(loaded.config.calendar.timezone)
  const { config } = loaded
  const dataDir = dataDirOf(config)
  if (config.database === undefined && !existsSync(join(dataDir, 'yizhan.db'))) {
    return [{ check: 'data', ok: true, detail: text('doctor.data.first', { dataDir }) }]
  }
  try {
    const store = await openStore({ dataDir, database: config.database, logger, older: 'read' })
    try {
      const heard = await Promise.all(
        config.bots.map(async ({ id }) => describe(id, await lastHeard(store.db, id), text, zone)),
      )
      return [{ check: 'data', ok: true, detail: dataDir }, ...heard]
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { message, hint } = speech.error(error)
    return [{ check: 'data', ok: false, detail: message, fix: hint }]
  }
}

function describe(botId: string, at: number | undefined, text: Translate, zone: ZoneTime): Diagnosis {
  const check = `${botId}:heard`
  if (at !== undefined) return { check, ok: true, detail: text('doctor.heard.last', { time: zone.show(at) }) }
  return { check, ok: true, unseen: true, detail: text('doctor.heard.never') }
}
