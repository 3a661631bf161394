/** Says everything that is wrong at once: configuration, machine, models, tenants; each with what to do. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { configuredBots } from '../app.ts'
import { createModels } from '../model/catalogue.ts'
import type { Diagnosis } from '../protocol/adapter.ts'
import { isAppError } from '../protocol/errors.ts'
import { createSandbox } from '../sandbox/index.ts'
import type { Command } from './command.ts'
import { type Setup, setUp } from './setup.ts'

const CHECK_MS = 30_000

export const doctor: Command = async (input) => {
  const setup = setUp(input, { level: 'error' })
  const found: Diagnosis[] = []
  const report = (diagnosis: Diagnosis): void => {
    found.push(diagnosis)
    process.stdout.write(format(diagnosis))
  }
  report({
    check: 'configuration',
    ok: true,
    detail: setup.loaded.file ?? 'none: npm start serves the playground',
  })
  report({
    check: 'node',
    ok: Number(process.versions.node.split('.')[0]) >= 24,
    detail: process.version,
    fix: 'Run through npm (npm start), which uses the project’s own Node.',
  })
  report(checkAdmins(setup))
  report(await checkSandbox(setup))
  report(checkPages())
  for (const diagnosis of await checkModels(setup)) report(diagnosis)
  for (const diagnosis of await checkBots(setup)) report(diagnosis)
  const wrong = found.filter((diagnosis) => !diagnosis.ok)
  process.stdout.write(
    wrong.length === 0
      ? '\nAll is well.\n'
      : `\n${wrong.length} of ${found.length} checks need attention: ${wrong.map((diagnosis) => `\n  ✗ ${diagnosis.check}`).join('')}\n`,
  )
  process.exitCode = wrong.length === 0 ? 0 : 1
}

function format({ check, ok, unseen, detail, fix, link }: Diagnosis): string {
  const remedy = ok || fix === undefined ? '' : `\n    → ${fix}${link ? `\n      ${link}` : ''}`
  const mark = unseen ? '?' : ok ? '✓' : '✗'
  return `${mark} ${check.padEnd(24)} ${detail}${remedy}\n`
}

function checkAdmins({ loaded }: Setup): Diagnosis {
  const { admins } = loaded.config.access
  if (loaded.file === undefined || admins.length > 0)
    return { check: 'admins', ok: true, detail: admins.join(', ') || 'the playground names its own' }
  return {
    check: 'admins',
    ok: false,
    detail: 'access.admins is empty: in groups nobody can approve a command',
    fix: 'Send /whoami to the bot, then put your id into access.admins, e.g. [feishu:ou_…].',
  }
}

async function checkSandbox({ loaded, logger }: Setup): Promise<Diagnosis> {
  const sandbox = await createSandbox(loaded.config.sandbox, { logger })
  const { kind, reason, profile } = sandbox.status()
  await sandbox.close()
  return {
    check: 'sandbox',
    ok: kind !== 'unavailable',
    detail: kind === 'unavailable' ? reason : profile,
    fix: 'apt-get install -y bubblewrap',
  }
}

function checkPages(): Diagnosis {
  const ok = existsSync(new URL('../console/dist/index.html', import.meta.url))
  return { check: 'pages', ok, detail: ok ? 'built' : 'the web pages are not built', fix: 'npm run build' }
}

async function checkModels({ loaded, clock, random }: Setup): Promise<Diagnosis[]> {
  const models = createModels(() => loaded.config.models, {
    clock,
    random,
    localeOf: () => loaded.config.locale,
  })
  return Promise.all(
    models.names.map(async (name): Promise<Diagnosis> => {
      const check = `model:${name}`
      try {
        const request = {
          system: '',
          messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'ping' }] }],
          tools: [],
          maxOutputTokens: 16,
        }
        for await (const event of models.get(name, '').stream(request, AbortSignal.timeout(CHECK_MS)))
          if (event.type === 'done') break
        return { check, ok: true, detail: 'answers' }
      } catch (error) {
        return {
          check,
          ok: false,
          detail: error instanceof Error ? error.message : String(error),
          fix: isAppError(error) ? error.hint : 'Check baseUrl and the network.',
        }
      }
    }),
  )
}

async function checkBots(setup: Setup): Promise<Diagnosis[]> {
  const { loaded, clock, random, logger } = setup
  // The doctor connects to nothing that has one owner; it may look beside a running service.
  const lock = { acquire: async () => false, release: async () => {} }
  const bots = configuredBots(loaded.config, { clock, random, logger, lock })
  const all = await Promise.all(
    bots.all().map(async (adapter) => {
      const diagnoses = await adapter.diagnose(AbortSignal.timeout(CHECK_MS))
      return diagnoses.map((diagnosis) => ({ ...diagnosis, check: `${adapter.botId}:${diagnosis.check}` }))
    }),
  )
  return [...all.flat(), ...checkData(loaded.config.dataDir)]
}

function checkData(dataDir: string): Diagnosis[] {
  const path = resolve(dataDir)
  return [{ check: 'data', ok: true, detail: existsSync(path) ? path : `${path} (made at the first start)` }]
}
