import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createAccess } from '../../../../src/policy/access.ts'
import { createCommandAnalyser } from '../../../../src/policy/command/analysis.ts'
import { loadTreeSitter } from '../../../../src/policy/command/tree-sitter.ts'
import { readWithUnbash } from '../../../../src/policy/command/unbash.ts'
import { createPolicy } from '../../../../src/policy/policy.ts'

const RULED = ['ls', 'cat', 'echo', 'git', 'grep', 'find', 'wc']
const config = configSchema.parse({
  approval: { rules: RULED.map((program) => ({ program, effect: 'allow' })) },
})
const policy = createPolicy(config, createAccess(config))
const analyser = createCommandAnalyser()
/** `npm run fuzz` takes a hundred thousand. */
const COMMANDS = Number(process.env['YIZHAN_FUZZ_COMMANDS'] ?? 10_000)

const word = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('a', '-l', './x', 'src/b.ts', '报告', 'status', '12', 'a=b', '@', '-exec'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '"a b"',
      "'c d'",
      'e\\ f',
      'g""h',
      "'i'j",
      '"k\\"l"',
      '"m\\n"',
      '""',
      "'$(rm x)'",
      '"a`b"',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '$(rm x)',
      '`rm x`',
      '$x',
      '${x}',
      '*',
      '?',
      '~',
      '{a,b}',
      "$'a'",
      '$"a"',
      '#c',
      '\\',
      '"',
      "'",
      '!',
      '[a]',
      '<(rm x)',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'grapheme' }) },
)
const glue = fc.oneof(
  { weight: 12, arbitrary: fc.constant(' ') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '\t',
      '\n',
      ';',
      '&',
      '|',
      '&&',
      '||',
      '>',
      '<',
      '<<',
      '\r',
      '(',
      ')',
      ' #',
      '\\\n',
      '\u00A0',
      '\u200B',
    ),
  },
)
const start = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...RULED) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'timeout 5 ls',
      'nice cat',
      'rm',
      'A=1 ls',
      'env ls',
      'sudo ls',
      'time ls',
      '! ls',
      'sh -c',
      '"ls"',
      'l\\s',
    ),
  },
)
const command = fc
  .tuple(start, fc.array(fc.tuple(glue, word), { maxLength: 5 }), glue)
  .map(
    ([first, rest, last]) => first + rest.map(([between, next]) => between + next).join('') + last.trimEnd(),
  )

async function effectOf(text: string) {
  const place = { cwd: '/w', workspace: '/w' }
  const analysis = await analyser.analyse(text, place)
  const answer = policy.judge({
    tool: 'shell',
    risk: 'command',
    bound: { tool: 'shell', args: {}, command: text, cwd: '/w' },
    analysis,
    requester: 'feishu:ou_1',
    address: { botId: 'b', chatId: 'c', chatType: 'group' },
    workspace: '/w',
    grants: [],
    tainted: false,
    now: 0,
  })
  return { effect: answer.effect, analysis }
}

/** Words as bash itself splits them: a restricted shell without programs hands them to a function. */
function wordsInBash(commands: readonly string[]): string[][] {
  const script = `a() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${commands.map((text) => `a ${text}\n`).join('')}`
  const output = execFileSync('/bin/bash', ['--noprofile', '--norc', '-r'], {
    cwd: mkdtempSync(join(tmpdir(), 'yizhan-fuzz-')),
    env: { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' },
    input: script,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return output
    .split('\u0001\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1))
}

describe('fuzz', () => {
  it('S1–S8: over ten thousand commands, allow means one program with the same literal words for both parsers and bash', async () => {
    const treeSitter = await loadTreeSitter()
    const allowed: { text: string; argv: readonly string[] }[] = []
    const property = fc.asyncProperty(command, async (text) => {
      const { effect, analysis } = await effectOf(text)
      if (effect !== 'allow') return
      const words = treeSitter(text)
      expect(words).toEqual(readWithUnbash(text)?.argv)
      expect(words?.slice(-analysis.argv.length)).toEqual(analysis.argv)
      expect(RULED).toContain(analysis.argv[0])
      allowed.push({ text, argv: words ?? [] })
    })
    await fc.assert(property, { numRuns: COMMANDS, seed: 20_261_130 })
    expect(allowed.length).toBeGreaterThan(500)
    expect(wordsInBash(allowed.map((one) => one.text))).toEqual(allowed.map((one) => one.argv))
  }, 600_000)

  it('S8: arbitrary text never throws and never takes long', async () => {
    const property = fc.asyncProperty(fc.string({ maxLength: 200, unit: 'binary' }), async (text) => {
      expect(['allow', 'ask', 'deny']).toContain((await effectOf(text)).effect)
    })
    const started = performance.now()
    await fc.assert(property, { numRuns: 2_000, seed: 7 })
    expect(performance.now() - started).toBeLessThan(60_000)
  }, 120_000)
})
