import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createControlGroup, sweepControlGroups } from '../../../src/sandbox/cgroup.ts'

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
    const group = createControlGroup({ pid: 7, id: 1 }, LIMITS, root)
    expect(group?.joins).toEqual([
      join(root, 'memory/yizhan-7-1/cgroup.procs'),
      join(root, 'pids/yizhan-7-1/cgroup.procs'),
    ])
    expect(text('memory/yizhan-7-1/memory.limit_in_bytes')).toBe('1000000')
    expect(text('pids/yizhan-7-1/pids.max')).toBe('20')
    expect(group?.hit()).toBeUndefined()
    writeFileSync(
      join(root, 'memory/yizhan-7-1/memory.oom_control'),
      'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    )
    expect(group?.hit()).toBe('memory')
  })

  it('version 2: asks for the controllers and sets both limits in one group', () => {
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n')
    const group = createControlGroup({ pid: 7, id: 1 }, LIMITS, root)
    expect(text('cgroup.subtree_control')).toBe('+memory +pids')
    expect(text('yizhan-7-1/memory.max')).toBe('1000000')
    writeFileSync(join(root, 'yizhan-7-1/pids.events'), 'max 3\n')
    expect(group?.hit()).toBe('pids')
  })

  it('sweeps what nobody uses any more, and nothing else', () => {
    for (const name of [
      'memory/yizhan-7-1',
      'memory/yizhan-7-2',
      'memory/yizhan-8-1',
      'memory/docker',
      'pids/yizhan-7-1',
    ]) {
      mkdirSync(join(root, name), { recursive: true })
    }
    sweepControlGroups((pid, id) => pid === 8 || id === 2, root)
    expect(readdirSync(join(root, 'memory')).sort()).toEqual(['docker', 'yizhan-7-2', 'yizhan-8-1'])
    expect(readdirSync(join(root, 'pids'))).toEqual([])
  })

  it('is left out where the tree cannot be written, and leaves nothing half made', () => {
    mkdirSync(join(root, 'memory'))
    expect(createControlGroup({ pid: 7, id: 1 }, LIMITS, root)).toBeUndefined()
    expect(existsSync(join(root, 'memory', 'yizhan-7-1'))).toBe(false)
  })
})
