import { describe, expect, it } from 'vitest'
import { type Evidence, explain } from '../../../src/sandbox/verdict.ts'

const judge = (evidence: Partial<Evidence>): ReturnType<typeof explain> =>
  explain({ code: 0, signal: undefined, cut: undefined, hit: undefined, output: '', ...evidence })

describe('how a command ended', () => {
  it.each([
    ['an exit code', { code: 2 }, { ended: 'exit', exitCode: 2 }],
    ['a signal, as 128 + n', { code: 139 }, { ended: 'signal', signal: 'SIGSEGV' }],
    ['the file size limit', { code: 153 }, { ended: 'limit', signal: 'SIGXFSZ', limit: 'file-size' }],
    ['the processor limit', { code: 152 }, { ended: 'limit', signal: 'SIGXCPU', limit: 'cpu' }],
    [
      'the memory of its control group',
      { code: 137, hit: 'memory' },
      { ended: 'limit', signal: 'SIGKILL', limit: 'memory' },
    ],
    [
      'no more processes',
      { code: 254, output: 'bash: fork: retry: Resource temporarily unavailable' },
      { ended: 'limit', limit: 'pids' },
    ],
    ['its time', { code: undefined, cut: 'timeout' }, { ended: 'timeout' }],
    ['success, though a child met a limit', { code: 0, hit: 'pids' }, { ended: 'exit', exitCode: 0 }],
  ] as const)('%s', (_name, evidence, status) => {
    expect(judge(evidence).status).toEqual(status)
  })

  it.each([
    'Proceed? [y/N] ',
    "Password for 'https://git.example.com': ",
    'sudo: a terminal is required to read the password',
    'EOFError: EOF when reading a line',
    "fatal: could not read Username for 'https://git.example.com': No such device or address",
  ])('S14: wanted input: %s', (output) => {
    expect(judge({ code: 1, output }).wantedInput).toBe(true)
    expect(judge({ code: 0, output }).wantedInput).toBe(false)
  })
})
