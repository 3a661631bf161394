/** `npm run check`: types, format and lint, promises and cycles, dead code. The import rule and the sizes are tests. */
import { spawn } from 'node:child_process'

interface Check {
  readonly name: string
  readonly command: readonly string[]
}

const checks: readonly Check[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the pages', command: ['tsc', '--noEmit', '-p', 'src/console/pages'] },
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  {
    name: 'promises and cycles',
    command: ['oxlint', '--type-aware', '--deny-warnings', 'src', 'adapters', 'test'],
  },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  {
    name: 'import rule and sizes',
    command: [
      'vitest',
      'run',
      '--config',
      'test/vitest.config.ts',
      'test/imports.test.ts',
      'test/sizes.test.ts',
    ],
  },
]

async function run({ name, command: [program = '', ...args] }: Check): Promise<boolean> {
  const started = performance.now()
  const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)))
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n${code === 0 ? '' : output}`)
  return code === 0
}

const results = await Promise.all(checks.map(run))
process.exit(results.every(Boolean) ? 0 : 1)
