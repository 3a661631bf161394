/**
 * Syscall numbers of the two machines we run on, from the kernel's own headers
 * (`asm/unistd_64.h` and `asm-generic/unistd.h`, Linux 6.1). `undefined`: the machine has no such call.
 */

export interface Machine {
  /** `AUDIT_ARCH_*` of `linux/audit.h`: what seccomp compares before it looks at a number. */
  readonly audit: number
  readonly clone: number
  readonly clone3: number
  readonly socket: number
  readonly ioctl: number
  /** Calls at or above this number belong to a second calling convention (x32) and are refused. */
  readonly foreignFrom: number | undefined
  readonly denied: readonly number[]
}

/** Calls nobody needs to build, test or read something, each of which has opened a kernel before. */
const DENIED: Readonly<Record<string, readonly [x64: number | undefined, arm64: number | undefined]>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  lookup_dcookie: [212, 18],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  fanotify_init: [300, 262],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  memfd_secret: [447, 447],
}

const denied = (column: 0 | 1): number[] =>
  Object.values(DENIED).flatMap((row) => (row[column] === undefined ? [] : [row[column]]))

/** The machine for Node's `process.arch`, or undefined when we have no table for it. */
export function machine(arch: string): Machine | undefined {
  if (arch === 'x64') {
    return {
      audit: 0xc000003e,
      clone: 56,
      clone3: 435,
      socket: 41,
      ioctl: 16,
      foreignFrom: 0x40000000,
      denied: denied(0),
    }
  }
  if (arch === 'arm64') {
    return {
      audit: 0xc00000b7,
      clone: 220,
      clone3: 435,
      socket: 198,
      ioctl: 29,
      foreignFrom: undefined,
      denied: denied(1),
    }
  }
  return undefined
}
