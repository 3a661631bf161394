/** What every command begins with: configuration, logger, time and chance of this process. */

import { processEnvironment } from '../config/environment.ts'
import { type LoadedConfig, loadConfig, type Needs } from '../config/load.ts'
import { createLogger } from '../observability/logger.ts'
import { createRedactor } from '../observability/redact.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { createSystemClock } from '../system/clock.ts'
import { createSystemRandom } from '../system/random.ts'
import type { CommandInput } from './command.ts'

export interface Setup {
  readonly loaded: LoadedConfig
  readonly logger: Logger
  readonly clock: Clock
  readonly random: Random
}

interface SetUpOptions {
  /** Default: what the configuration says. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  /** Keys of the configuration whose variables this command cannot do without; default: all. */
  readonly needs?: Needs
}

/** Loads the configuration; log lines go to standard error, so that output stays clean. */
export function setUp(input: CommandInput, options: SetUpOptions = {}): Setup {
  const loaded = loadConfig({
    file: input.configFile,
    env: processEnvironment(),
    cwd: process.cwd(),
    ...(options.needs && { needs: options.needs }),
  })
  const { level, pretty } = loaded.config.log
  const logger = createLogger({
    level: options.level ?? level,
    pretty: pretty || (loaded.file === undefined && process.stderr.isTTY),
    redact: createRedactor(loaded.secrets),
    write: (line) => process.stderr.write(line),
  })
  return { loaded, logger, clock: createSystemClock(), random: createSystemRandom() }
}
