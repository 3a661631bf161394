import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import { realSandbox } from '../../sandbox/real-sandbox.ts'
import { errorOf, type ToolBench, textOf, toolBench } from '../bench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

const COMMIT = 'git -c user.name=a -c user.email=a@b commit -qm one'

async function repository(extra = 'true'): Promise<ToolBench> {
  const bench = toolBench({ sandbox })
  textOf(
    await bench.call('shell', {
      command: `git init -q && echo old > f && echo x > g && git add . && ${COMMIT} && ${extra}`,
    }),
  )
  return bench
}

it('shows the working tree, one file, and what is staged', async () => {
  using bench = await repository('echo new > f && echo y > g && git add g')
  const all = textOf(await bench.call('git_diff', {}))
  expect(all).toMatch(/-old\n\+new[\s\S]*-x\n\+y/)
  expect(textOf(await bench.call('git_diff', { file: 'f' }))).not.toContain('+y')
  expect(textOf(await bench.call('git_diff', { cached: true }))).not.toContain('+new')
  expect(textOf(await bench.call('git_diff', { ref: 'HEAD', file: "it's gone" }))).toBe('(no change)')
})

it.each(['--output=/tmp/pwned', '-O', 'HEAD; touch pwned', '$(touch pwned)', 'HEAD --ext-diff'])(
  'S5: the ref %j is refused',
  async (ref) => {
    using bench = await repository()
    expect(errorOf(await bench.call('git_diff', { ref })).type).toBe('invalid_argument')
  },
)

it('S18: programs named by the repository do not run, or run in the sandbox only', async () => {
  const script = 'touch "$PWD/ran-$1"'
  using bench = await repository(
    [
      `printf '#!/bin/sh\\n${script.replaceAll('"', '\\"')}\\n' > .git/evil && chmod +x .git/evil`,
      'git config core.fsmonitor "$PWD/.git/evil fsmonitor"',
      'git config diff.external "$PWD/.git/evil external"',
      'git config core.pager "$PWD/.git/evil pager"',
      'git config diff.t.textconv "$PWD/.git/evil textconv"',
      'git config filter.t.clean "touch /tmp/ran-filter; cat /root/.ssh/id_rsa /etc/shadow 2>/dev/null; cat"',
      'echo "* diff=t filter=t" > .git/info/attributes',
      'echo new > f',
    ].join(' && '),
  )
  expect(textOf(await bench.call('git_diff', {}))).toContain('+new')
  for (const name of ['fsmonitor', 'external', 'pager', 'textconv']) {
    expect(existsSync(join(bench.workspace, `ran-${name}`))).toBe(false)
  }
  expect(existsSync('/tmp/ran-filter')).toBe(false)
})

it('a folder without a repository, or outside, is explained', async () => {
  using bench = toolBench({ sandbox })
  expect(errorOf(await bench.call('git_diff', {}))).toMatchObject({
    type: 'not_found',
    message: '"." is not in a git repository.',
  })
  expect(errorOf(await bench.call('git_diff', { repository: '..' })).type).toBe('refused')
  expect(errorOf(await bench.call('git_diff', { file: '../../etc/passwd' })).type).toBe('refused')
})
