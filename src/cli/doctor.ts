/** Says everything that is wrong at once: configuration, machine, models, tenants; each with what to do. */
import { join } from 'node:path'
import { configuredBots } from '../app.ts'
import { dataDirOf } from '../config/data-dir.ts'
import type { LoadedConfig } from '../config/load.ts'
import { ConfigError } from '../config/problem.ts'
import { configSchema } from '../config/schema.ts'
import { createLogger } from '../observability/logger.ts'
import type { Diagnosis } from '../protocol/adapter.ts'
import { type AppError, isAppError } from '../protocol/errors.ts'
import type { Locale, Translate } from '../protocol/ports.ts'
import type { Command, CommandInput } from './command.ts'
import { checkCalendar } from './doctor/calendar.ts'
import { formatFinding, headingOf } from './doctor/finding.ts'
import { checkHearing } from './doctor/hearing.ts'
import { checkNode, checkPages, checkSandbox } from './doctor/machine.ts'
import { checkModels } from './doctor/models.ts'
import { checkRedis } from './doctor/redis.ts'
import { checkSchedules } from './doctor/schedules.ts'
import { checkService } from './doctor/service.ts'
import { createSpeech, type Speech } from './doctor/speech.ts'
import { checkTools } from './doctor/tools.ts'
import { leaveOutUnset } from './doctor/unset.ts'
import { type Setup, setUp } from './setup.ts'

const CHECK_MS = 30_000

export const doctor: Command = async (input) => {
  const { text, locale } = input
  const speech = createSpeech(locale, text)
  const found: Diagnosis[] = []
  const report = (diagnoses: readonly Diagnosis[]): void => {
    for (const diagnosis of diagnoses) {
      found.push(diagnosis)
      process.stdout.write(formatFinding(diagnosis, text))
    }
  }
  const setup = readSetup(input)
  if (isAppError(setup)) {
    const { message, hint } = speech.error(setup)
    report([{ check: 'configuration', ok: false, detail: message, fix: hint }])
    report(await checkMachine(undefined, text))
  } else {
    const { config } = setup.loaded
    const { config: complete, left } = leaveOutUnset(setup.loaded, text)
    const asked: Setup = { ...setup, loaded: { ...setup.loaded, config: complete } }
    report([checkConfiguration(setup.loaded, speech)])
    report(await checkMachine(setup, text))
    report(await checkTools(config, setup.clock, text))
    const calendar = checkCalendar(config, setup.clock.now(), speech)
    report([checkAdmins(setup, text), calendar])
    if (calendar.ok) report(checkSchedules(config, setup.clock.now(), speech, placesIn(setup.loaded)))
    report(await checkService(config, text))
    report(left)
    report(await checkModels(asked, speech))
    report(await checkBots(asked, locale, speech))
    if (!left.some(({ check }) => check === 'database'))
      report(
        await checkHearing(
          { ...asked, loaded: { ...asked.loaded, config: { ...complete, bots: config.bots } } },
          speech,
        ),
      )
    report(await checkRedis(complete, text))
  }
  const wrong = found.filter((diagnosis) => !diagnosis.ok)
  process.stdout.write(
    wrong.length === 0
      ? `\n${text('doctor.well')}\n`
      : `\n${text('doctor.attention', { count: wrong.length, total: found.length })}${wrong.map(({ check }) => `\n  ✗ ${headingOf(check, text)}`).join('')}\n`,
  )
  process.exitCode = wrong.length === 0 ? 0 : 1
}

/** A configuration that cannot be read is a finding like any other: the machine is looked at all the same. */
function readSetup(input: CommandInput): Setup | AppError {
  try {
    return setUp(input, { level: 'error', needs: [] })
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
}

/** `yizhan.yaml:12  ` of each schedule. */
function placesIn({ file, lineOf }: LoadedConfig): (index: number) => string {
  return (index) => (file === undefined ? '' : `${file}:${lineOf(['schedules', index]) ?? 1}  `)
}

function checkConfiguration({ file, unset }: LoadedConfig, { text, error }: Speech): Diagnosis {
  const check = 'configuration'
  if (file === undefined) return { check, ok: true, detail: text('doctor.playground') }
  if (unset.length === 0) return { check, ok: true, detail: file }
  const { message, hint } = error(new ConfigError(file, unset))
  return { check, ok: false, detail: message, fix: hint }
}

async function checkMachine(setup: Setup | undefined, text: Translate): Promise<Diagnosis[]> {
  const logger =
    setup?.logger ??
    createLogger({
      level: 'error',
      pretty: false,
      redact: (text) => text,
      write: (line) => process.stderr.write(line),
    })
  const config = setup?.loaded.config ?? configSchema.parse({})
  const { sandbox } = config
  const own = [setup?.loaded.file, join(dataDirOf(config), 'yizhan.db')].filter((path) => path !== undefined)
  return [checkNode(text), await checkSandbox(sandbox, logger, own, text), checkPages(text)]
}

function checkAdmins({ loaded }: Setup, text: Translate): Diagnosis {
  const { admins } = loaded.config.access
  if (loaded.config.bots.length === 0 || admins.length > 0)
    return { check: 'admins', ok: true, detail: admins.join(', ') || text('doctor.admins.playground') }
  return {
    check: 'admins',
    ok: false,
    detail: text('doctor.admins.empty'),
    fix: text('doctor.admins.empty.fix'),
  }
}

/** A finding under the bot's id; an error of the platform in the operator's language, with the page to change. */
function inWords(botId: string, { error, fix, ...found }: Diagnosis, speech: Speech): Diagnosis {
  const named = { ...found, check: `${botId}:${found.check}` }
  if (error === undefined) return { ...named, ...(fix === undefined ? {} : { fix }) }
  // The remedy that came along is the error's own, in English.
  const { message, hint } = speech.error(error)
  return { ...named, detail: message, ...(hint === '' ? {} : { fix: hint }) }
}

async function checkBots(
  { loaded, clock, random, logger }: Setup,
  locale: Locale,
  speech: Speech,
): Promise<Diagnosis[]> {
  // The doctor connects to nothing that has one owner; it may look beside a running service.
  const lock = { acquire: async () => false, release: async () => {} }
  // The operator's language, not that of the bot's chats.
  const spoken = { ...loaded.config, locale, bots: loaded.config.bots.map((bot) => ({ ...bot, locale })) }
  const bots = configuredBots(spoken, { clock, random, logger, lock })
  const all = await Promise.all(
    bots.all().map(async (adapter) => {
      const diagnoses = await adapter.diagnose(AbortSignal.timeout(CHECK_MS))
      return diagnoses.map((diagnosis) => inWords(adapter.botId, diagnosis, speech))
    }),
  )
  return all.flat()
}
