import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Program, type ProgramSandbox } from '../../../src/sandbox/index.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { TEST_LIMITS } from './real-sandbox.ts'

let sandbox: ProgramSandbox
let folder: string
let program: Program

beforeAll(async () => {
  sandbox = await createSandbox(TEST_LIMITS, { logger: createCollectingLogger() })
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-program-')))
  for (const name of ['home', 'given', 'given/secret']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'given', 'note.txt'), 'visible')
  writeFileSync(join(folder, 'given', 'keys.yaml'), 'canary')
  writeFileSync(join(folder, 'given', 'secret', 'db'), 'canary')
  writeFileSync(join(folder, 'outside.txt'), 'canary')
  program = {
    argv: ['/bin/cat'],
    cwd: join(folder, 'home'),
    env: { PATH: '/usr/bin:/bin', ONLY: 'this' },
    network: 'none',
    home: join(folder, 'home'),
    readable: [join(folder, 'given')],
    writable: [],
    hidden: [
      { path: join(folder, 'given', 'keys.yaml'), folder: false },
      { path: join(folder, 'given', 'secret'), folder: true },
    ],
  }
})

afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
})

const shell = async (script: string): Promise<string> => {
  const running = await sandbox.spawn({ ...program, argv: ['/bin/bash', '-c', script] })
  running.stdin.end()
  return text(running.stdout)
}

it('a program is talked to over its pipes until its input ends', async () => {
  const running = await sandbox.spawn(program)
  running.stdin.write('one\n')
  running.stdin.end('two\n')
  expect(await text(running.stdout)).toBe('one\ntwo\n')
  expect(await running.ended).toEqual({ code: 0, signal: null })
})

it('M8: it sees its own folder and what it was given, and nothing that is hidden in it', async () => {
  expect(await shell(`cat ${folder}/given/note.txt`)).toBe('visible')
  expect(
    await shell(`cat ${folder}/given/keys.yaml; ls ${folder}/given/secret; cat ${folder}/outside.txt`),
  ).toBe('')
  expect(await shell(`echo x > ${folder}/given/new 2>/dev/null || echo refused`)).toBe('refused\n')
  expect(await shell('echo kept > file && cat file')).toBe('kept\n')
})

it('K1: its environment is what its entry gives, and no network is there', async () => {
  const seen = (await shell('env')).split('\n')
  expect(seen).toContain('ONLY=this')
  expect(seen.filter((line) => !/^(ONLY|PATH|PWD|SHLVL|_)=|^$/.test(line))).toEqual([])
  expect(await shell('ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1')).toBe(
    '    lo\n',
  )
})

it('killing it ends what it started', async () => {
  const running = await sandbox.spawn({ ...program, argv: ['/bin/bash', '-c', 'sleep 1000 & echo up; wait'] })
  for await (const chunk of running.stdout) {
    expect(String(chunk)).toBe('up\n')
    running.kill()
  }
  expect((await running.ended).signal).toBe('SIGKILL')
})
