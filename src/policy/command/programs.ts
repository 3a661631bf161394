/** What well-known programs do, as far as it matters to somebody who is asked to allow them. */

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Read code from arguments, files or standard input and run it. */
export const INTERPRETERS = set(
  'node nodejs deno bun tsx ts-node python python2 python3 pypy pypy3 ipython perl ruby php lua luajit Rscript R ' +
    'java groovy scala kotlin go julia osascript pwsh powershell tclsh wish expect awk gawk mawk nawk sed ed ex gdb ' +
    'sqlite3 psql mysql m4 bc dc jshell swift elixir iex erl ocaml ghci runghc guile racket sbcl octave emacs',
)

/** Start other programs by configuration, hooks, pagers, recipes or remote shells. */
export const LAUNCHERS = set(
  'make gmake cmake ninja just rake gradle gradlew mvn ant bazel npm npx pnpm pnpx yarn bunx corepack cargo rustup pipx ' +
    'uv uvx poetry tox nox pre-commit vim vi nvim nano view less more most man info git-shell screen tmux at batch crontab ' +
    'systemd-run service systemctl docker podman kubectl helm nsenter firejail bwrap runc chpst start-stop-daemon ' +
    'strace ltrace gdbserver valgrind perf entr inotifywait fd fdfind ssh-agent dbus-run-session xdg-open open ' +
    'taskset numactl chrt cpulimit prlimit choom setarch linux32 linux64 faketime torsocks proxychains proxychains4 dotenv ' +
    'direnv nix nix-shell guix toybox coreutils chronic unbuffer run0 ld.so rsync socat openssl mail sendmail mutt w3m lftp ' +
    'sftp scp mosh ssh ' +
    'capsh setpriv runuser su pkexec xvfb-run fakeroot proot dpkg rpm run-parts ctest pytest jest vitest mocha',
)

/** Reach other machines. */
export const NETWORK = set(
  'curl wget aria2c http https httpie nc ncat netcat socat telnet ftp lftp sftp scp ssh mosh rsync rclone ping ping6 ' +
    'traceroute tracepath dig nslookup host whois nmap mail sendmail mutt openssl aws gcloud az gsutil s3cmd lynx links w3m',
)

/** Fetch something that a shell could then run. */
export const DOWNLOADERS = set('curl wget aria2c http https httpie nc ncat netcat socat lynx')

export const PRIVILEGE = set(
  'sudo doas su pkexec setpriv runuser capsh nsenter unshare chroot mount umount insmod modprobe',
)
export const DELETERS = set('rm rmdir unlink shred truncate wipe srm')
export const PERMISSIONS = set('chmod chown chgrp chattr setfacl setcap')
export const PROCESSES = set('kill pkill killall xkill skill shutdown reboot halt poweroff init telinit')
export const DISKS = set('dd mkfs mke2fs mkswap fdisk parted sfdisk losetup cryptsetup wipefs blkdiscard')
export const WRITERS = set(
  'cp mv tee touch mkdir ln install rm rmdir unlink shred truncate dd chmod chown rsync tar unzip',
)

/** Only look, as long as no finding says otherwise. */
export const READERS = set(
  'ls cat head tail wc grep egrep fgrep rg find stat file du df pwd date uname whoami id hostname echo printf true tree cut ' +
    'uniq tr nl tac rev diff cmp comm basename dirname realpath readlink md5sum sha1sum sha256sum which free uptime ps jq',
)
export const GIT_READERS = set('status log diff show blame shortlog rev-parse ls-files describe')

/** Builtins that change the shell or evaluate their arguments; even `[ -v 'a[$(x)]' ]` runs x. */
export const BUILTINS = set(
  '. : source eval exec command builtin alias unalias bind caller cd pushd popd declare typeset local export readonly ' +
    'unset set shopt enable trap read mapfile readarray let test [ [[ wait jobs fg bg disown kill hash history fc ' +
    'getopts printf return shift times type ulimit umask suspend logout exit break continue compgen complete compopt coproc time',
)

const INSTALLERS = /^(install|i|add|ci|update|upgrade|remove|uninstall|purge|download|sync|get)$/
const PACKAGE_MANAGERS = set(
  'npm pnpm yarn bun pip pip3 pipx uv poetry conda mamba apt apt-get aptitude dpkg yum dnf apk pacman zypper brew gem cargo go snap flatpak',
)

/** True when the words install, change or remove software. */
export function installsPackages(program: string, args: readonly string[]): boolean {
  if (PACKAGE_MANAGERS.has(program)) return args.some((arg) => INSTALLERS.test(arg))
  return /^python/.test(program) && args[0] === '-m' && args[1] === 'pip'
}

/** Inline code: `-e`, `-c`, `-m` and their relatives in any group of short options. */
export function hasInlineCode(args: readonly string[]): boolean {
  return args.some((arg) => /^(-[A-Za-z]*[cerpm]|--eval|--print|--exec)(=|$)/.test(arg))
}

/** Options with which an otherwise harmless program starts another one or writes a file. */
const HAZARDS: Readonly<Record<string, RegExp>> = {
  curl: /^(-[A-Za-z]*K|--config|--engine|--telnet-option|-[A-Za-z]*o|--output|-[A-Za-z]*O|--remote-name|--unix-socket)/,
  wget: /^(-e|--execute|--config|--use-askpass|-O|--output|-i|--input-file)/,
  dig: /^-f/,
  find: /^-(exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)$/,
  tar: /^(--to-command|--checkpoint-action|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-[A-Za-z]*[IF])/,
  zip: /^(-T|-TT|--unzip-command|-[A-Za-z]*T)/,
  sort: /^(--compress-program|-o|--output|-[A-Za-z]*[oT]|--temporary-directory)/,
  jq: /^(-[A-Za-z]*[Lf]|--from-file|--library-path)/,
  rg: /^(--pre|--hostname-bin|-[A-Za-z]*z|--search-zip)/,
  grep: /^(-[A-Za-z]*f|--file)/,
  date: /^(-[A-Za-z]*[sf]|--set|--file)/,
  tree: /^(-o|-R)/,
  file: /^(-[A-Za-z]*[CmfzZ]|--compile|--magic-file)/,
  hostname: /^[^-]|^(-[bF]|--file)/,
  ls: /^--hyperlink/,
}

/** The option that makes a program dangerous, if it is there. */
export function hazardousOption(program: string, args: readonly string[]): string | undefined {
  const hazard = Object.hasOwn(HAZARDS, program) ? HAZARDS[program] : undefined
  return hazard && args.find((arg) => hazard.test(arg))
}
