import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createControlGroup } from '../../../src/sandbox/cgroup.ts'

const LIMITS = { memoryBytes: 1_000_000, pids: 20 }
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yizhan-test-cgroup-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** The files the kernel would put into a group; here a plain folder stands for it. */
const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

describe('control groups', () => {
  it('version 1: sets both limits in their own trees', () => {
    for (const name of ['memory', 'pids']) mkdirSync(join(root, name))
    const group = createControlGroup('job', LIMITS, root)
    expect(group?.joins).toEqual([join(root, 'memory/job/cgroup.procs'), join(root, 'pids/job/cgroup.procs')])
    expect(text('memory/job/memory.limit_in_bytes')).toBe('1000000')
    expect(text('pids/job/pids.max')).toBe('20')
    expect(group?.hit()).toBeUndefined()
    writeFileSync(
      join(root, 'memory/job/memory.oom_control'),
      'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    )
    expect(group?.hit()).toBe('memory')
  })

  it('version 2: asks for the controllers and sets both limits in one group', () => {
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n')
    const group = createControlGroup('job', LIMITS, root)
    expect(text('cgroup.subtree_control')).toBe('+memory +pids')
    expect(text('job/memory.max')).toBe('1000000')
    writeFileSync(join(root, 'job/pids.events'), 'max 3\n')
    expect(group?.hit()).toBe('pids')
  })

  it('is left out where the tree cannot be written, and leaves nothing half made', () => {
    mkdirSync(join(root, 'memory'))
    expect(createControlGroup('job', LIMITS, root)).toBeUndefined()
    expect(existsSync(join(root, 'memory', 'job'))).toBe(false)
  })
})
