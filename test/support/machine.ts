/** What the tests need from the machine; installed when this is a Debian and we may, named otherwise. */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process'

interface Need {
  /** Name on the path, or an absolute pattern of a file. */
  readonly program: string
  readonly pack: string
  readonly why: string
}

const NEEDS: readonly Need[] = [
  { program: 'bwrap', pack: 'bubblewrap', why: 'the sandbox' },
  { program: 'chromium', pack: 'chromium', why: 'the browser tests' },
  { program: 'git', pack: 'git', why: 'git_diff' },
  { program: 'Xvfb', pack: 'xvfb', why: 'the virtual desktop' },
  { program: 'openbox', pack: 'openbox', why: 'the virtual desktop' },
  { program: 'xdotool', pack: 'xdotool', why: 'the virtual desktop' },
  { program: 'maim', pack: 'maim', why: 'the virtual desktop' },
  { program: 'dbus-run-session', pack: 'dbus-x11', why: 'the virtual desktop' },
  { program: '/usr/libexec/at-spi-bus-launcher', pack: 'at-spi2-core', why: 'its accessibility tree' },
  {
    program: '/usr/lib/python3/dist-packages/gi/__init__.py',
    pack: 'python3-gi',
    why: 'its accessibility tree',
  },
  {
    program: '/usr/lib/*/girepository-1.0/Atspi-2.0.typelib',
    pack: 'gir1.2-atspi-2.0',
    why: 'its accessibility tree',
  },
  { program: '/usr/lib/postgresql/*/bin/postgres', pack: 'postgresql', why: 'reports over PostgreSQL' },
  { program: 'redis-server', pack: 'redis-server', why: 'several processes' },
  { program: '/usr/sbin/mariadbd', pack: 'mariadb-server-core', why: 'reports over MySQL' },
  { program: 'mousepad', pack: 'mousepad', why: 'something to type into' },
]

const FONT = { probe: ['fc-list', ':lang=zh'], pack: 'fonts-noto-cjk' } as const

/** Installs what is missing, or ends the process with the command that would. */
export function prepareMachine(): void {
  const missing = NEEDS.filter(({ program }) => !onPath(program)).map(({ pack }) => pack)
  const [probe, ...args] = FONT.probe
  const fonts = spawnSync(probe, args, { encoding: 'utf8' })
  if (fonts.status !== 0 || fonts.stdout.trim() === '') missing.push(FONT.pack)
  if (missing.length === 0) return
  const install = `apt-get install -y --no-install-recommends ${missing.join(' ')}`
  const isRoot = process.getuid?.() === 0
  if (isRoot && onPath('apt-get')) {
    process.stdout.write(`installing ${missing.join(', ')} …\n`)
    const options: SpawnSyncOptions = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }
    spawnSync('apt-get', ['update'], options)
    if (spawnSync('sh', ['-c', install], options).status === 0) return
  }
  process.stderr.write(
    `The tests need ${missing.join(', ')}. Install them and run again:\n  sudo ${install}\n`,
  )
  process.exit(1)
}

function onPath(program: string): boolean {
  const probe = program.startsWith('/') ? `ls ${program}` : `command -v ${program}`
  return spawnSync('sh', ['-c', probe], { stdio: 'ignore' }).status === 0
}
