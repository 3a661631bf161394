/**
 * `npm test`: everything a change must pass. Installs what the machine lacks (or says how), runs the
 * checks and every test, and closes with one plain line of counts.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareMachine } from './support/machine.ts'

const filters = process.argv.slice(2)

function run(command: string, args: readonly string[]): number {
  return spawnSync(command, args, { stdio: 'inherit' }).status ?? 1
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numFailedTestSuites: number
}

prepareMachine()
if (!existsSync('src/console/dist/index.html') && run('npm', ['run', 'build']) !== 0) process.exit(1)
const checked = filters.length > 0 ? 0 : run(process.execPath, ['test/check.ts'])
const folder = mkdtempSync(join(tmpdir(), 'yizhan-tests-'))
const file = join(folder, 'report.json')
const tested = run(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
  ...filters,
])
const report: Report | undefined = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Report)
  : undefined
rmSync(folder, { recursive: true })
const passed = report?.numPassedTests ?? 0
const failed = (report?.numFailedTests ?? 1) + (checked === 0 ? 0 : 1)
process.stdout.write(`\n${passed} passed, ${failed} failed, ${report?.numPendingTests ?? 0} skipped\n`)
process.exit(checked === 0 && tested === 0 && passed > 0 ? 0 : 1)
