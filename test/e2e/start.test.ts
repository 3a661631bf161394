/** The launcher: an edit runs at the next start, and a machine that cannot bundle runs the sources. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFailed, vi } from 'vitest'
import { bundleFolder } from '../../src/bundle/folder.js'

const TIMEOUT_MS = 120_000
const folders: string[] = []

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'yizhan-start-'))
  folders.push(made)
  return made
}

/** A copy of the project, without its bundles. */
function project(): string {
  const root = folder()
  for (const path of ['src', 'adapters', 'package.json', 'package-lock.json'])
    cpSync(path, join(root, path), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  return root
}

function run(root: string, ...args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, ['src/start.js', ...args], {
    ...{ cwd: root, encoding: 'utf8', env: { ...process.env, LC_ALL: 'en_US.UTF-8' } },
  })
}

function edit(root: string, path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8')
  expect(text).toContain(from)
  writeFileSync(join(root, path), text.replace(from, to))
}

async function address(service: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of service.stdout ?? []) {
    text += String(chunk)
    const found = /http:\/\/\S+/.exec(text)?.[0]
    if (found) return found
  }
  throw new Error(`the service ended: ${text}`)
}

/** What is not ready yet: the store, the cells, the connection to a platform. */
async function missing(url: string): Promise<readonly string[]> {
  const answer = (await (await fetch(new URL('/readyz', url))).json()) as {
    checks: readonly { check: string; ok: boolean }[]
  }
  return answer.checks.filter(({ ok }) => !ok).map(({ check }) => check)
}

describe('start', { timeout: TIMEOUT_MS }, () => {
  afterEach(() => {
    for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true })
  })

  it('runs an edit at the next start, and says nothing about it', () => {
    const root = project()
    expect(run(root, '--help')).toMatchObject({ status: 0, stderr: '' })
    edit(root, 'src/locale/en/operator.ts', 'write a first yizhan.yaml', 'write the very first yizhan.yaml')
    const second = run(root, '--help')
    expect(second).toMatchObject({ status: 0, stderr: '' })
    expect(second.stdout).toContain('write the very first yizhan.yaml')
    expect(readdirSync(join(root, 'dist'))).toHaveLength(2)
  })

  it('is not stopped by what another start has just moved away', () => {
    const root = project()
    mkdirSync(join(root, 'dist'))
    symlinkSync('moved-away', join(root, 'dist/unfinished'))
    expect(run(root, '--help')).toMatchObject({ status: 0, stderr: '' })
  })

  it('runs the sources where no bundle can be made, and says so beside the output', () => {
    const root = project()
    // As on a machine without development packages.
    edit(root, 'src/bundle/writer.ts', "from 'rolldown'", "from 'rolldown-is-not-here'")
    const { stdout, stderr, status } = run(root, 'policy', 'git status')
    expect(stderr).toMatch(/^Running from the sources.*rolldown-is-not-here/)
    expect({ status, said: /^ask/.test(stdout) }).toEqual({ status: 0, said: true })
  })

  it('has its programs in the bundle, and finds its pages from there', async () => {
    const data = folder()
    writeFileSync(join(data, 'yizhan.yaml'), `server: { port: 0 }\ndataDir: ${data}/data\n`)
    const service = spawn(process.execPath, ['src/start.js', 'serve', '--config', join(data, 'yizhan.yaml')])
    onTestFailed(() => void service.kill('SIGKILL'))
    const ended = once(service, 'exit')
    const url = await address(service)
    const page = await fetch(url)
    expect(await page.text()).toContain('<title>驿站 · Playground</title>')
    expect(readdirSync(bundleFolder(process.cwd()))).toEqual(
      expect.arrayContaining(['broker-main.js', 'reader-main.js', 'sqlite-child.js', 'workshop-child.js']),
    )
    await vi.waitFor(async () => expect(await missing(url)).toEqual([]), { timeout: 30_000, interval: 200 })
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
