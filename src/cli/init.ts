/** Writes a first `yizhan.yaml` beside the working directory's other files; never over an existing one. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Command } from './command.ts'

const FIRST_FILE = `# Yizhan. Every key with its meaning: deploy/yizhan.example.yaml
# Secrets come from the environment: \${NAME}, or NAME_FILE with the path of a file.

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
    appId: cli_0123456789abcdef        # credentials page of your app
    appSecret: \${FEISHU_APP_SECRET}

access:
  admins: []                           # e.g. [feishu:ou_…]; send /whoami to the bot to see yours
`

export const init: Command = async (input) => {
  const path = resolve(input.configFile ?? 'yizhan.yaml')
  try {
    writeFileSync(path, FIRST_FILE, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new AppError('cli.init_failed', `${path} ${exists ? 'is there already' : 'cannot be written'}`, {
      cause,
      hint: exists
        ? 'Nothing was changed. Move it away first if you want a fresh one.'
        : 'Give the folder of the file to the user who runs this, or name another file with --config.',
    })
  }
  process.stdout.write(
    `${path} is written. Next:\n  1. put your App ID into it, and export LLM_API_KEY and FEISHU_APP_SECRET\n  2. npm run doctor\n  3. npm start\n`,
  )
}
