/** Asks every configured model for a word. */
import { createModels } from '../../model/catalogue.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { createZoneTime } from '../../protocol/zone-time.ts'
import type { Setup } from '../setup.ts'
import type { Speech } from './speech.ts'

const CHECK_MS = 30_000

const REQUEST = {
  system: '',
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'ping' }] }],
  tools: [],
  maxOutputTokens: 16,
}

export async function checkModels({ loaded, clock, random }: Setup, speech: Speech): Promise<Diagnosis[]> {
  const models = createModels(() => loaded.config.models, {
    clock,
    random,
    zone: createZoneTime(loaded.config.calendar.timezone),
    localeOf: () => loaded.config.locale,
  })
  return Promise.all(
    models.names.map(async (name): Promise<Diagnosis> => {
      const check = `model:${name}`
      try {
        for await (const event of models.get(name, '').stream(REQUEST, AbortSignal.timeout(CHECK_MS)))
          if (event.type === 'done') break
        return { check, ok: true, detail: speech.text('doctor.model.answers') }
      } catch (error) {
        const { message, hint } = isAppError(error)
          ? speech.error(error)
          : { message: String(error), hint: speech.text('doctor.model.fix') }
        return { check, ok: false, detail: message, fix: hint }
      }
    }),
  )
}
