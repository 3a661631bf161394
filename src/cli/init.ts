/** Writes a first `yizhan.yaml` beside the working directory's other files; never over an existing one. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Translate } from '../protocol/ports.ts'
import type { Command } from './command.ts'

const firstFile = (text: Translate): string => `# ${text('init.file.head')}
# ${text('init.file.secrets', { name: 'NAME' })}

models:
  default: main
  profiles:
    main:
      protocol: openai
      baseUrl: https://open.bigmodel.cn/api/paas/v4
      apiKey: \${LLM_API_KEY}
      model: glm-5.2

bots:
  - id: ops
    platform: feishu
    appId: cli_0123456789abcdef        # ${text('init.file.app')}
    appSecret: \${FEISHU_APP_SECRET}

access:
  admins: []                           # ${text('init.file.admins')}
`

export const init: Command = async (input) => {
  const path = resolve(input.configFile ?? 'yizhan.yaml')
  try {
    writeFileSync(path, firstFile(input.text), { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const code = exists ? 'cli.init_exists' : 'cli.init_failed'
    throw new AppError(code, `${path} ${exists ? 'already exists' : 'cannot be written'}`, {
      cause,
      params: { path },
      hint: exists
        ? 'Nothing was changed. Move it away first if you want a fresh one.'
        : 'Give the folder of the file to the user who runs this, or name another file with --config.',
    })
  }
  process.stdout.write(`${input.text('cli.init.done', { path })}\n`)
}
