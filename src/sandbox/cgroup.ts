/**
 * Limits for all processes of a command together, where the machine lets us make control groups.
 * An extra layer: without it the per-process limits still hold.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ControlGroup {
  /** Files into which the first process writes its id before it becomes the command. */
  readonly joins: readonly string[]
  /** The limit that was hit, if one was. */
  hit(): 'memory' | 'pids' | undefined
  /** Removes the group; its processes must have ended. */
  remove(): void
}

export interface GroupLimits {
  readonly memoryBytes: number
  readonly pids: number
}

const ROOT = '/sys/fs/cgroup'
const NAME = /^yizhan-(\d+)-(\d+)$/

/** Makes the group of job `id` of broker `pid`, or undefined where control groups cannot be written. */
export function createControlGroup(
  owner: { readonly pid: number; readonly id: number },
  limits: GroupLimits,
  root = ROOT,
): ControlGroup | undefined {
  const name = `yizhan-${owner.pid}-${owner.id}`
  try {
    return existsSync(join(root, 'cgroup.controllers'))
      ? unified(join(root, name), root, limits)
      : separate(name, root, limits)
  } catch {
    // Read-only or delegated away, as in most containers: the layer is optional.
    return undefined
  }
}

/** Removes groups that a command's last process, or a killed broker, left behind. */
export function sweepControlGroups(isInUse: (pid: number, id: number) => boolean, root = ROOT): void {
  for (const tree of [root, join(root, 'memory'), join(root, 'pids')]) {
    const names = existsSync(tree) ? readdirSync(tree) : []
    const stale = names.filter((name) => {
      const owner = NAME.exec(name)
      return owner !== null && !isInUse(Number(owner[1]), Number(owner[2]))
    })
    remove(stale.map((name) => join(tree, name)))
  }
}

/** Version 2: one tree with both controllers. */
function unified(path: string, root: string, limits: GroupLimits): ControlGroup {
  writeFileSync(join(root, 'cgroup.subtree_control'), '+memory +pids')
  mkdirSync(path)
  try {
    writeFileSync(join(path, 'memory.max'), String(limits.memoryBytes))
    writeFileSync(join(path, 'pids.max'), String(limits.pids))
  } catch (error) {
    rmdirSync(path)
    throw error
  }
  return {
    joins: [join(path, 'cgroup.procs')],
    hit: () => {
      if (counter(join(path, 'memory.events'), 'oom_kill') > 0) return 'memory'
      return counter(join(path, 'pids.events'), 'max') > 0 ? 'pids' : undefined
    },
    remove: () => remove([path]),
  }
}

/** Version 1: one tree per controller. */
function separate(name: string, root: string, limits: GroupLimits): ControlGroup {
  const memory = join(root, 'memory', name)
  const pids = join(root, 'pids', name)
  const made: string[] = []
  try {
    for (const path of [memory, pids]) {
      mkdirSync(path)
      made.push(path)
    }
    writeFileSync(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes))
    writeFileSync(join(pids, 'pids.max'), String(limits.pids))
  } catch (error) {
    remove(made)
    throw error
  }
  return {
    joins: [join(memory, 'cgroup.procs'), join(pids, 'cgroup.procs')],
    hit: () => {
      if (counter(join(memory, 'memory.oom_control'), 'oom_kill') > 0) return 'memory'
      return counter(join(pids, 'pids.events'), 'max') > 0 ? 'pids' : undefined
    },
    remove: () => remove([memory, pids]),
  }
}

/** Reads `key value` lines; 0 when the file or the key is missing. */
function counter(path: string, key: string): number {
  try {
    const line = readFileSync(path, 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${key} `))
    return Number(line?.split(' ')[1] ?? 0)
  } catch {
    // A kernel without this counter cannot say; the exit code still does.
    return 0
  }
}

function remove(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmdirSync(path)
    } catch {
      // A process is still leaving; the sweep after a later command takes the group away.
    }
  }
}
