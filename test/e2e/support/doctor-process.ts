/** `npm run doctor` as its own process: what stands on the terminal, and the exit code. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface DoctorReport {
  readonly code: number
  readonly words: string
  /** The line of a check with the lines of its remedy; empty when there is none. */
  finding(check: string): string
}

export async function runDoctor(config: string, env: Record<string, string> = {}): Promise<DoctorReport> {
  const child = spawn(process.execPath, ['src/start.js', 'doctor', '--config', config], {
    env: { PATH: process.env['PATH'], LANG: 'en_US.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      words += chunk
    })
  const [code] = (await once(child, 'close')) as [number]
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return {
    code,
    words,
    finding: (check) => new RegExp(`^[✓✗?] ${literal(check)}.*(?:\\n {2,}.*)*`, 'm').exec(words)?.[0] ?? '',
  }
}
