/**
 * In which language an operator is spoken to: as the configuration says, where it can be read, however wrong the
 * rest of it is; else as the terminal does; else in Chinese.
 */
import { type Environment, processEnvironment } from '../config/environment.ts'
import { readLocale } from '../config/load.ts'
import type { Locale } from '../protocol/ports.ts'

/** @param configFile from `--config` */
export function languageOf(
  configFile: string | undefined,
  env: Environment = processEnvironment(),
  cwd: string = process.cwd(),
): Locale {
  return readLocale({ file: configFile, env, cwd }) ?? ofTerminal(env)
}

/** `LC_ALL` wins over `LC_MESSAGES` and `LANG`, as POSIX has it; `C` and `POSIX` name no language. */
function ofTerminal(env: Environment): Locale {
  const name =
    ['LC_ALL', 'LC_MESSAGES', 'LANG'].map((key) => env[key] ?? '').find((value) => value !== '') ?? ''
  const [language = ''] = name.split(/[_.@]/)
  return /^(zh|c|posix|)$/i.test(language) ? 'zh-CN' : 'en'
}
