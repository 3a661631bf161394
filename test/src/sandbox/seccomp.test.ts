import { describe, expect, it } from 'vitest'
import { seccompProgram } from '../../../src/sandbox/seccomp.ts'
import { machine } from '../../../src/sandbox/syscalls.ts'

interface Call {
  readonly arch: number
  readonly number: number
  readonly args?: readonly number[]
}

/** Runs a classic BPF program as the kernel does, for the instructions that seccomp filters use. */
function verdict(program: Buffer, call: Call): string {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.number, 0)
  data.writeUInt32LE(call.arch, 4)
  for (const [index, arg] of (call.args ?? []).entries()) data.writeUInt32LE(arg, 16 + 8 * index)
  let word = 0
  for (let at = 0; at < program.length / 8; at++) {
    const [code, hit, miss, value] = [
      program.readUInt16LE(at * 8),
      program[at * 8 + 2] ?? 0,
      program[at * 8 + 3] ?? 0,
      program.readUInt32LE(at * 8 + 4),
    ]
    if (code === 0x20) word = data.readUInt32LE(value)
    else if (code === 0x15) at += word === value ? hit : miss
    else if (code === 0x35) at += word >= value ? hit : miss
    else if (code === 0x45) at += (word & value) !== 0 ? hit : miss
    else if (code === 0x06) return name(value)
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('the program ran off its end')
}

function name(value: number): string {
  if (value === 0x7fff0000) return 'allow'
  if (value === 0x80000000) return 'kill'
  return `errno ${value & 0xffff}`
}

const X64 = 0xc000003e
const ARM64 = 0xc00000b7

function filter(arch: string, unixSockets = true): Buffer {
  const target = machine(arch)
  if (!target) throw new Error(`no table for ${arch}`)
  return seccompProgram(target, { unixSockets })
}

describe('S17: the seccomp filter', () => {
  it.each([
    ['x64', X64, { read: 0, mount: 165, ptrace: 101, bpf: 321, keyctl: 250, socket: 41, clone: 56 }],
    ['arm64', ARM64, { read: 63, mount: 40, ptrace: 117, bpf: 280, keyctl: 219, socket: 198, clone: 220 }],
  ] as const)('on %s refuses what opens the kernel and allows ordinary work', (arch, audit, numbers) => {
    const program = filter(arch)
    const judge = (number: number, args: readonly number[] = []): string =>
      verdict(program, { arch: audit, number, args })
    expect(judge(numbers.read)).toBe('allow')
    for (const number of [numbers.mount, numbers.ptrace, numbers.bpf, numbers.keyctl, 425, 426, 427]) {
      expect(judge(number)).toBe('errno 1')
    }
    expect([1, 2, 10].map((family) => judge(numbers.socket, [family, 1, 0]))).toEqual([
      'allow',
      'allow',
      'allow',
    ])
    expect([17, 38, 40].map((family) => judge(numbers.socket, [family, 1, 0]))).toEqual(
      Array(3).fill('errno 97'),
    )
    expect(judge(numbers.socket, [16, 3, 0])).toBe('allow')
    expect(judge(numbers.socket, [16, 3, 9])).toBe('errno 97')
    expect(judge(numbers.clone, [0x11])).toBe('allow')
    expect(judge(numbers.clone, [0x10000011])).toBe('errno 1')
    expect(judge(435)).toBe('errno 38')
  })

  it('kills calls through a foreign calling convention', () => {
    expect(verdict(filter('x64'), { arch: 0x40000003, number: 1 })).toBe('kill')
    expect(verdict(filter('x64'), { arch: X64, number: 0x40000000 + 165 })).toBe('kill')
    expect(verdict(filter('arm64'), { arch: X64, number: 1 })).toBe('kill')
  })

  it('refuses typing into a terminal', () => {
    expect(verdict(filter('x64'), { arch: X64, number: 16, args: [0, 0x5412] })).toBe('errno 1')
    expect(verdict(filter('x64'), { arch: X64, number: 16, args: [0, 0x5413] })).toBe('allow')
  })

  it('refuses unix sockets where the network is the host’s', () => {
    expect(verdict(filter('x64', false), { arch: X64, number: 41, args: [1, 1, 0] })).toBe('errno 97')
  })

  it('knows no third machine', () => {
    expect(machine('riscv64')).toBeUndefined()
  })
})
