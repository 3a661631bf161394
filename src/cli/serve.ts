/** Runs the service until it is told to stop. */
import { type App, type Role, startApp } from '../app.ts'
import { processEnvironment } from '../config/environment.ts'
import { surroundingsOf } from '../house/mcp.ts'
import { createRedactor } from '../observability/redact.ts'
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger, Translate } from '../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'
import { createBotNews } from './bot-news.ts'
import type { Command } from './command.ts'
import { setUp } from './setup.ts'
import { packageVersion } from './version.ts'

export const serve: Command = async (input) => {
  const setup = setUp(input)
  const { FAULT_AT: faultAt } = processEnvironment()
  const fault = faultAt === undefined ? {} : { faultAt }
  const role = readRole(input.role)
  const surroundings = surroundingsOf(setup.loaded.file, process.cwd(), processEnvironment())
  const origin = { pid: process.pid, version: packageVersion(), surroundings }
  // The log says it for machines; whoever started the service reads a sentence below its first line.
  const news = createBotNews({
    locale: input.locale,
    text: input.text,
    redact: createRedactor(setup.loaded.secrets),
    write: (line) => process.stdout.write(line),
  })
  const app = await startApp({ ...setup, ...fault, role, ...origin, onBotFailed: news.onBotFailed })
  announce(app, input.text)
  news.announced()
  stopOnSignals(app, setup)
}

function readRole(role = 'all'): Role {
  if (role === 'all' || role === 'gateway') return role
  throw new AppError('cli.no_role', `there is no role "${role}"`, {
    hint: 'Roles are: all, gateway.',
    params: { role },
  })
}

/** The lines a person (and the browser test) waits for. */
function announce(app: App, text: Translate): void {
  const { listening, playgroundUrl } = app
  if (playgroundUrl !== undefined) {
    process.stdout.write(
      `\n  驿站 · 体验场已就绪（飞书和企业微信都是本机模拟的，不需要租户和密钥）\n  Yizhan playground: ${playgroundUrl}\n  ${text('cli.data', { dataDir: app.dataDir })}\n\n`,
    )
    return
  }
  process.stdout.write(`${text('cli.listening', { url: listening.url })}\n`)
}

/** Longest stop, milliseconds: then the process exits whatever is still under way. Supervisors must wait longer. */
export const LONGEST_STOP_MS = 25_000

/** First signal: finish what runs. Second: leave at once; the store is safe either way. */
function stopOnSignals(app: App, { clock, logger }: { clock: Clock; logger: Logger }): void {
  let asked = false
  const stop = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(130)
    asked = true
    logger.info({ signal }, 'stopping; running work is finished or kept for the next start')
    withTimeout(app.stop(), { ms: LONGEST_STOP_MS, clock }).then(
      (end) => {
        if (end === TIMED_OUT) logger.warn({}, 'the stop took too long and was cut off; nothing is lost')
        process.exit(0)
      },
      (error: unknown) => {
        logger.error({ error }, 'the service did not stop cleanly; nothing that was acknowledged is lost')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
