import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/protocol/sandbox.ts'
import { realSandbox, workbench } from './real-sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

/** A repository whose hooks and file watcher leave a line in `ran`. */
const PLANT = `
git init -q . && git config user.email a@b && git config user.name a
for hook in pre-commit post-commit post-checkout post-index-change prepare-commit-msg; do
  printf "#!/bin/sh\\necho ran >> $PWD/ran\\n" > .git/hooks/$hook
  chmod +x .git/hooks/$hook
done
cp .git/hooks/pre-commit spy
git config core.fsmonitor "$PWD/spy"
git config core.hooksPath .git/hooks
`
const WORK = 'git add .; git status; git commit -qm work; git checkout -q -b "b$$"; git diff HEAD'

it('S18: a folder that only looks like a repository is none', async () => {
  using bench = workbench(sandbox)
  await bench.run('git init -q --bare .')
  const look = 'git rev-parse --git-dir 2>&1; echo $?'
  expect((await bench.run(`unset GIT_CONFIG_COUNT; ${look}`)).output).toBe('.\n0\n')
  expect((await bench.run(look)).output).toMatch(/safe\.bareRepository[\s\S]*\n128\n$/)
})

it('S18: git runs no program that an earlier command left in the repository', async () => {
  using bench = workbench(sandbox)
  const ran = join(bench.workspace, 'ran')
  await bench.run(PLANT)
  // The trap is real: without what every command is given, it snaps.
  await bench.run(`unset GIT_CONFIG_COUNT; ${WORK}`)
  expect(readFileSync(ran, 'utf8').split('\n').length).toBeGreaterThan(4)
  rmSync(ran)
  await bench.run(`echo x > a; ${WORK}`)
  expect((await bench.run('git log --oneline | wc -l')).output).toBe('2\n')
  expect(existsSync(ran)).toBe(false)
})
