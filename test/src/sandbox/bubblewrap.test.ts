import { describe, expect, it } from 'vitest'
import { bubblewrapLaunch, type Confinement } from '../../../src/sandbox/bubblewrap.ts'

const PROGRAMS = {
  bwrap: '/usr/bin/bwrap',
  setpriv: '/usr/bin/setpriv',
  unshare: '/usr/bin/unshare',
  mount: '/usr/bin/mount',
}
const CONFINEMENT: Confinement = {
  network: 'none',
  memoryMb: 512,
  pids: 64,
  fileMb: 8,
  account: { name: 'nobody', uid: 65534, gid: 65534 },
  identity: { uid: 65534, gid: 65534 },
  processors: 2,
  filter: Buffer.from('filter'),
  resolver: 'nameserver 10.0.0.1\n',
}
const COMMAND = {
  command: 'echo "$A"; true',
  cwd: '/data/ws/sub',
  workspace: '/data/ws',
  env: { A: '1' },
  timeoutMs: 1_500,
  logPath: '/private/log',
  statusPath: '/private/status',
  outputBytes: 100,
}

const launch = (change: Partial<Confinement> = {}, staged = false): { argv: string; options: string } => {
  const { argv, inputs } = bubblewrapLaunch(COMMAND, PROGRAMS, { ...CONFINEMENT, ...change }, staged)
  return { argv: argv.join(' '), options: (inputs[0]?.toString() ?? '').replaceAll('\0', ' ') }
}

describe('the command line of a sandboxed command', () => {
  it('leaves root before bubblewrap starts, and sets the limits inside', () => {
    expect(launch().argv).toBe(
      '/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups -- /usr/bin/bwrap --args 4 -- ' +
        '/usr/bin/prlimit --nproc=64 --fsize=8388608 --data=536870912 --cpu=4 --nofile=4096 --core=0 -- ' +
        '/bin/bash -c echo "$A"; true',
    )
  })

  it('S6: unshares everything, clears the environment, forbids nested namespaces, keeps /proc/sys read-only', () => {
    const { options } = launch()
    for (const part of [
      '--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --cap-drop ALL --clearenv',
      '--proc /proc --ro-bind /proc/sys /proc/sys',
      '--bind /data/ws /data/ws --remount-ro / --chdir /data/ws/sub',
      '--setenv PATH /usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin --setenv HOME /data/ws',
      '--setenv A 1',
    ]) {
      expect(options).toContain(part)
    }
  })

  it('only the workspace is writable from the host', () => {
    const { options } = launch()
    expect(options.match(/ --(?:dev-)?bind(?:-try)? \S+/g)).toEqual([' --bind /data/ws'])
    expect(options).not.toContain('/private')
  })

  it('shares the network, and name servers, only when asked', () => {
    expect(launch().options).not.toMatch(/--share-net|resolv/)
    expect(launch({ network: 'host' }).options).toMatch(/--share-net[\s\S]*\/etc\/resolv.conf/)
  })

  it('binds as root, in a mount namespace of its own, what the user cannot reach', () => {
    const { argv, options } = launch({}, true)
    expect(argv).toMatch(
      /^\/usr\/bin\/unshare --mount --propagation private \/bin\/sh -c .* \/usr\/bin\/mount \/data\/ws \/usr\/bin\/setpriv/,
    )
    expect(options).toContain('--bind /mnt /data/ws')
  })

  it('starts bubblewrap itself when the service is not root', () => {
    expect(launch({ account: undefined }).argv).toMatch(/^\/usr\/bin\/bwrap --args 4 -- /)
  })
})
