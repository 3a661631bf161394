#!/usr/bin/env node
/** The program: command line → command. */
import { parseArgs } from 'node:util'
import { audit } from './cli/audit.ts'
import type { Command } from './cli/command.ts'
import { doctor } from './cli/doctor.ts'
import { init } from './cli/init.ts'
import { policy } from './cli/policy.ts'
import { serve } from './cli/serve.ts'
import { isAppError } from './protocol/errors.ts'

const commands: Readonly<Record<string, Command>> = { serve, doctor, init, audit, policy }

const USAGE = `yizhan <command> [--config FILE]

  serve          run the service (default); without a configuration: the playground
                 --role gateway takes events and leaves the work to the next start
  doctor         check configuration, machine and tenants, and say what to change
  init           write a first yizhan.yaml
  audit          verify the audit chain and show its newest rows
  policy "CMD"   show what the rules say about a command
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    config: { type: 'string', short: 'c' },
    help: { type: 'boolean', short: 'h' },
    role: { type: 'string' },
  },
})
const [name = 'serve', ...args] = positionals
const command = commands[name]

if (values.help === true) {
  process.stdout.write(USAGE)
} else if (!command) {
  process.stderr.write(`There is no command "${name}".\n\n${USAGE}`)
  process.exitCode = 2
} else {
  const file = typeof values.config === 'string' ? { configFile: values.config } : {}
  const role = typeof values.role === 'string' ? { role: values.role } : {}
  command({ args, ...file, ...role }).catch((error: unknown) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  })
}

function explain(error: unknown): string {
  if (isAppError(error)) return `✗ ${error.message}${error.hint ? `\n→ ${error.hint}` : ''}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
