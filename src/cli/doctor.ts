/** Says everything that is wrong at once: configuration, machine, models, tenants; each with what to do. */
import { resolve } from 'node:path'
import { configuredBots } from '../app.ts'
import { configError, type LoadedConfig } from '../config/load.ts'
import { configSchema } from '../config/schema.ts'
import { createLogger } from '../observability/logger.ts'
import type { Diagnosis } from '../protocol/adapter.ts'
import { type AppError, isAppError } from '../protocol/errors.ts'
import type { Command, CommandInput } from './command.ts'
import { checkCalendar } from './doctor/calendar.ts'
import { checkHearing } from './doctor/hearing.ts'
import { checkNode, checkPages, checkSandbox } from './doctor/machine.ts'
import { checkModels } from './doctor/models.ts'
import { checkRedis } from './doctor/redis.ts'
import { checkSchedules } from './doctor/schedules.ts'
import { checkService } from './doctor/service.ts'
import { checkTools } from './doctor/tools.ts'
import { leaveOutUnset } from './doctor/unset.ts'
import { type Setup, setUp } from './setup.ts'

const CHECK_MS = 30_000

export const doctor: Command = async (input) => {
  const found: Diagnosis[] = []
  const report = (diagnoses: readonly Diagnosis[]): void => {
    for (const diagnosis of diagnoses) {
      found.push(diagnosis)
      process.stdout.write(format(diagnosis))
    }
  }
  const setup = readSetup(input)
  if (isAppError(setup)) {
    report([{ check: 'configuration', ok: false, detail: setup.message, fix: setup.hint }])
    report(await checkMachine(undefined))
  } else {
    const { config } = setup.loaded
    const { config: complete, left } = leaveOutUnset(setup.loaded)
    const asked: Setup = { ...setup, loaded: { ...setup.loaded, config: complete } }
    report([checkConfiguration(setup.loaded)])
    report(await checkMachine(setup))
    report(await checkTools(config, setup.clock))
    const calendar = checkCalendar(config, setup.clock.now())
    report([checkAdmins(setup), calendar])
    if (calendar.ok) report(checkSchedules(config, setup.clock.now()))
    report(await checkService(config.server))
    report(left)
    report(await checkModels(asked))
    report(await checkBots(asked))
    if (!left.some(({ check }) => check === 'database'))
      report(
        await checkHearing({
          ...asked,
          loaded: { ...asked.loaded, config: { ...complete, bots: config.bots } },
        }),
      )
    report(await checkRedis(complete))
  }
  const wrong = found.filter((diagnosis) => !diagnosis.ok)
  process.stdout.write(
    wrong.length === 0
      ? '\nAll is well.\n'
      : `\n${wrong.length} of ${found.length} checks need attention: ${wrong.map((diagnosis) => `\n  ✗ ${diagnosis.check}`).join('')}\n`,
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

function format({ check, ok, unseen, detail, fix, link }: Diagnosis): string {
  const more = link !== undefined && !fix?.includes(link) ? `\n      ${link}` : ''
  const remedy = ok || fix === undefined ? '' : `\n    → ${fix}${more}`
  const mark = unseen ? '?' : ok ? '✓' : '✗'
  return `${mark} ${check.padEnd(24)} ${detail}${remedy}\n`
}

function checkConfiguration({ file, unset }: LoadedConfig): Diagnosis {
  const check = 'configuration'
  if (file === undefined) return { check, ok: true, detail: 'none: npm start serves the playground' }
  if (unset.length === 0) return { check, ok: true, detail: file }
  const { message, hint } = configError(file, unset)
  return { check, ok: false, detail: message, fix: hint }
}

async function checkMachine(setup: Setup | undefined): Promise<Diagnosis[]> {
  const logger =
    setup?.logger ??
    createLogger({
      level: 'error',
      pretty: false,
      redact: (text) => text,
      write: (line) => process.stderr.write(line),
    })
  const { sandbox, dataDir } = setup?.loaded.config ?? configSchema.parse({})
  const own = [setup?.loaded.file, resolve(dataDir, 'yizhan.db')].filter((path) => path !== undefined)
  return [checkNode(), await checkSandbox(sandbox, logger, own), checkPages()]
}

function checkAdmins({ loaded }: Setup): Diagnosis {
  const { admins } = loaded.config.access
  if (loaded.config.bots.length === 0 || admins.length > 0)
    return { check: 'admins', ok: true, detail: admins.join(', ') || 'the playground names its own' }
  return {
    check: 'admins',
    ok: false,
    detail: 'access.admins is empty: in groups nobody can approve a command',
    fix: 'Send /whoami to the bot, then put your id into access.admins, e.g. [feishu:ou_…].',
  }
}

async function checkBots({ loaded, clock, random, logger }: Setup): Promise<Diagnosis[]> {
  // The doctor connects to nothing that has one owner; it may look beside a running service.
  const lock = { acquire: async () => false, release: async () => {} }
  const bots = configuredBots(loaded.config, { clock, random, logger, lock })
  const all = await Promise.all(
    bots.all().map(async (adapter) => {
      const diagnoses = await adapter.diagnose(AbortSignal.timeout(CHECK_MS))
      return diagnoses.map((diagnosis) => ({ ...diagnosis, check: `${adapter.botId}:${diagnosis.check}` }))
    }),
  )
  return all.flat()
}
