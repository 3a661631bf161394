/**
 * Assembles the seccomp filter that bubblewrap loads. Knows classic BPF and nothing about processes.
 * The filter refuses by `errno`, so that programs report an error instead of vanishing; only a call
 * through a foreign calling convention kills.
 */
import type { Machine } from './syscalls.ts'

// linux/bpf_common.h and linux/seccomp.h.
const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_GREATER_EQUAL = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const ERRNO = 0x00050000

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

// Offsets in `struct seccomp_data`, little endian: low word of each argument first.
const NUMBER = 0
const ARCH = 4
const ARGUMENT = (index: number): number => 16 + 8 * index

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const CLONE_NEWUSER = 0x10000000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

interface Step {
  readonly code: number
  readonly value: number
  readonly hit?: number
  readonly miss?: number
}

const load = (value: number): Step => ({ code: LOAD, value })
const end = (value: number): Step => ({ code: RETURN, value })
/** Runs `body` when the loaded word satisfies the test, else skips it. */
const when = (code: number, value: number, body: readonly Step[]): Step[] => [
  { code, value, hit: 0, miss: body.length },
  ...body,
]
const equal = (value: number, body: readonly Step[]): Step[] => when(JUMP_EQUAL, value, body)

export interface FilterOptions {
  /** False when the sandbox shares the host's network, where abstract sockets of others are in reach. */
  readonly unixSockets: boolean
}

/** The program as the bytes `--seccomp FD` reads: `struct sock_filter[]`, little endian. */
export function seccompProgram(target: Machine, options: FilterOptions): Buffer {
  const families = options.unixSockets ? [AF_UNIX, AF_INET, AF_INET6] : [AF_INET, AF_INET6]
  const steps: Step[] = [
    load(ARCH),
    { code: JUMP_EQUAL, value: target.audit, hit: 1, miss: 0 },
    end(KILL),
    load(NUMBER),
    ...(target.foreignFrom === undefined ? [] : when(JUMP_GREATER_EQUAL, target.foreignFrom, [end(KILL)])),
    // The flags of clone3 lie in memory, out of a filter's sight; glibc falls back to clone on ENOSYS.
    ...equal(target.clone3, [end(ERRNO | ENOSYS)]),
    ...equal(target.clone, [
      load(ARGUMENT(0)),
      ...when(JUMP_ANY_BIT, CLONE_NEWUSER, [end(ERRNO | EPERM)]),
      end(ALLOW),
    ]),
    ...equal(target.socket, [
      load(ARGUMENT(0)),
      ...families.flatMap((family) => equal(family, [end(ALLOW)])),
      // Only NETLINK_ROUTE (protocol 0), which lists network interfaces.
      ...equal(AF_NETLINK, [load(ARGUMENT(2)), ...equal(0, [end(ALLOW)])]),
      end(ERRNO | EAFNOSUPPORT),
    ]),
    ...equal(target.ioctl, [
      load(ARGUMENT(1)),
      ...[TIOCSTI, TIOCLINUX].flatMap((request) => equal(request, [end(ERRNO | EPERM)])),
      end(ALLOW),
    ]),
    ...target.denied.flatMap((number) => equal(number, [end(ERRNO | EPERM)])),
    end(ALLOW),
  ]
  return Buffer.concat(steps.map(encode))
}

function encode(step: Step): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(step.code, 0)
  bytes.writeUInt8(step.hit ?? 0, 2)
  bytes.writeUInt8(step.miss ?? 0, 3)
  bytes.writeUInt32LE(step.value >>> 0, 4)
  return bytes
}
