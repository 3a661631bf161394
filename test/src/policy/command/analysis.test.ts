import { describe, expect, it } from 'vitest'
import { createCommandAnalyser } from '../../../../src/policy/command/analysis.ts'

const analyser = createCommandAnalyser()
const place = { cwd: '/w/s1', workspace: '/w/s1' }
const analyse = (command: string) => analyser.analyse(command, place)
const codes = async (command: string): Promise<string[]> =>
  (await analyse(command)).findings.map((one) => one.code)

describe('simple commands', () => {
  it.each([
    ['ls', ['ls']],
    ['ls -la "a b" \'c d\' e\\ f', ['ls', '-la', 'a b', 'c d', 'e f']],
    ['git status --short', ['git', 'status', '--short']],
    ["grep -rn 'a|b' src", ['grep', '-rn', 'a|b', 'src']],
    ['find . -name "*.ts"', ['find', '.', '-name', '*.ts']],
    ['cat 报告.txt', ['cat', '报告.txt']],
    ['echo "say \\"hi\\" \\n"', ['echo', 'say "hi" \\n']],
    ['  wc\t-l  a.txt ', ['wc', '-l', 'a.txt']],
  ])('given %s, when analysed, then both parsers agree on its words', async (command, argv) => {
    expect(await analyse(command)).toMatchObject({ verdict: 'simple', argv })
  })

  it.each([
    ['r""m x', ['rm', 'x']],
    ['\\rm x', ['rm', 'x']],
    ["'r'm x", ['rm', 'x']],
  ])('S2: compares %s after unquoting', async (command, argv) => {
    expect((await analyse(command)).argv).toEqual(argv)
  })

  it.each([
    ['timeout 5 ls -l', ['ls', '-l']],
    ['nice -n 5 ls', ['ls']],
    ['timeout -k 1 5 nice ls', ['ls']],
    ['env ls', ['ls']],
    ['stdbuf -oL wc a', ['wc', 'a']],
  ])('S4: takes the transparent wrapper off %s', async (command, argv) => {
    expect(await analyse(command)).toMatchObject({ verdict: 'simple', argv, grantable: false })
  })
})

describe('complex commands', () => {
  it.each([
    'ls && rm x',
    'ls; rm x',
    'ls | sh',
    'echo x | node',
    'ls & rm x',
    'ls\nrm x',
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'cat <(rm x)',
    'FOO=$(rm x) ls',
    'echo ${x:-$(rm x)}',
    'echo $((a[$(rm x)]))',
    'a[$(rm x)]=1',
    '[[ -v a[$(rm x)] ]]',
    'cat <<E\n$(rm x)\nE',
    'cat <<< x',
    'echo {a,$(rm x)}',
    'for i in a; do rm $i; done',
    'if true; then rm x; fi',
    'case a in a) rm x;; esac',
    'select i in a; do rm x; done',
    'coproc rm x',
    'function f { rm x; }',
    'trap "rm x" EXIT',
    "alias ls='rm x'",
    'ls(){ rm x;}; ls',
    '! rm x',
    'time rm x',
    'exec rm x',
    'eval rm x',
    'command rm x',
    'builtin echo x',
    '. ./x',
    'source x',
    "[ -v 'a[$(rm x)]' ]",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' x",
    "let 'a[$(rm x)]=1'",
    "unset 'a[$(rm x)]'",
    'ls &',
    'ls;',
    '(ls)',
    '{ ls; }',
  ])('S1: %j is complex', async (command) => {
    expect(await analyse(command)).toMatchObject({ verdict: 'complex', argv: [], grantable: false })
  })

  it.each([
    "$'\\x72m' x",
    '/bin/r? x',
    'ls$IFS-l',
    'cat ~root/x',
    'ls ~',
    'cat $HOME/.ssh/id',
    'tar cf a *',
    'ls [ab]',
    'echo $"x"',
    'ls {a,b}',
    'echo a=~',
    '',
  ])('S2: %j is complex', async (command) => {
    expect((await analyse(command)).verdict).toBe('complex')
  })

  it.each([
    'echo x >f',
    'echo x >>~/.bashrc',
    'echo x >|f',
    'ls &>f',
    'ls 2>&1 >f',
    'ls {fd}>f',
    'cat </etc/passwd',
    'echo x >/dev/tcp/h/80',
    'ls 2>&1',
  ])('S3: %j is complex', async (command) => {
    expect((await analyse(command)).verdict).toBe('complex')
  })

  it.each([
    'env -S "rm x"',
    'env -C / ls',
    'env A=b ls',
    'env -i ls',
    'nohup ls',
    'flock f ls',
    "flock f -c 'rm x'",
    'setsid ls',
    'watch ls',
    'sudo ls',
    'doas ls',
    'xargs rm',
    'find . -exec rm {} +',
    'find . -execdir rm {} +',
    'find . -delete',
    'find . -fprintf f x',
    'parallel rm',
    'busybox sh',
    "script -c 'rm x' f",
    'unshare ls',
    'ssh h ls',
    'docker run x',
    'time ls',
    "sh -ceu 'rm x'",
    "bash -lc 'rm x'",
    'bash --rcfile f',
    '/bin/sh x',
    'nice -x ls',
    'timeout ls',
    'timeout 5 sh -c ls',
    'timeout 5 sudo ls',
    'env env -S ls',
  ])('S4: %j is complex', async (command) => {
    expect((await analyse(command)).verdict).toBe('complex')
  })

  it.each([
    'git -c core.pager=x log',
    "git -c alias.x='!sh' x",
    'git fetch --upload-pack x',
    'git clone ext::sh',
    'git diff --ext-diff',
    'git -ccore.pager=x log',
    'git --exec-path=x log',
    'git grep -Ovi x',
    'git log --output=f',
    'git commit -m x',
    'git rebase -x ls',
    "awk 'BEGIN{system(1)}'",
    "sed '1e rm x' f",
    'sed -n 1w/f x',
    "vim -c '!x'",
    'less f',
    'man -P x ls',
    'tar xf a --to-command=x',
    'tar xf a --checkpoint-action=exec=x',
    'tar -I x -cf a b',
    'zip -TT x a b',
    'rsync -e x a b',
    'curl -K f',
    'node -e 1',
    'python -c 1',
    'python3.11 -m http.server',
    'python3 x.py',
    'perl -e 1',
    'npm run x',
    'npx x',
    'make',
    'sort --compress-program=x f',
    'jq -L d . f',
    'ssh -o ProxyCommand=x h',
    'rg --pre x y',
    'scp a h:b',
    './ls',
    'node_modules/.bin/ls',
    '/w/s1/git status',
    'dpkg -i a',
    'pytest',
    'openssl s_client',
    'taskset 1 ls',
  ])('S5/S7: %j runs other programs, so it is complex', async (command) => {
    expect((await analyse(command)).verdict).toBe('complex')
  })

  it.each([
    ['NUL', 'ls a\u0000b'],
    ['CR', 'ls\r'],
    ['escape', 'ls \u001b[1m'],
    ['right-to-left override', 'ls \u202Ea'],
    ['zero width', 'ls a\u200Bb'],
    ['filler', 'ls \u3164'],
    ['joiner', 'ls a\u034Fb'],
    ['braille blank', 'ls \u2800'],
    ['no-break space', 'ls\u00A0x'],
    ['ideographic space', 'ls\u3000x'],
    ['lone surrogate', 'ls \uD800'],
    ['line separator', 'ls\u2028rm'],
    ['tag', 'ls \u{E0041}'],
  ])('S8/C13: a hidden character (%s) makes it complex and is named', async (_name, command) => {
    const result = await analyse(command)
    expect(result.verdict).toBe('complex')
    expect(result.findings[0]).toMatchObject({ code: 'hidden', severity: 'danger' })
  })

  it.each(['echo pаypal', 'ls\u037E rm x', 'ls；rm x'])('C13: %j has look-alikes', async (command) => {
    expect(await analyse(command)).toMatchObject({ verdict: 'complex' })
    expect(await codes(command)).toContain('lookalike')
  })

  it('S8: over 10,000 characters, over 50 programs, and what cannot be parsed is complex', async () => {
    expect(await codes(`echo ${'a'.repeat(10_000)}`)).toContain('long')
    expect((await analyse(`echo ${'a'.repeat(10_000)}`)).verdict).toBe('complex')
    expect(await codes(Array(51).fill('ls').join(';'))).toContain('many')
    expect(await codes('if')).toContain('unreadable')
    expect(await codes('x'.repeat(200_000))).toContain('unreadable')
  })

  it('S8: deep nesting ends in bounded time', async () => {
    const started = performance.now()
    await analyse('$('.repeat(3_000))
    await analyse(`${'('.repeat(3_000)}ls${')'.repeat(3_000)}`)
    await analyse(`echo ${'"$(echo '.repeat(1_000)}`)
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('S8: inline scripts in inline scripts are read within a budget, and what is left unread is said', async () => {
    const started = performance.now()
    for (const command of [
      'eval '.repeat(2_000),
      `eval "$(${'eval $('.repeat(500)}`,
      'env '.repeat(2_000),
      'sh -c x;'.repeat(500),
    ]) {
      const result = await analyse(command)
      expect(result.verdict).toBe('complex')
      expect(result.findings.map((one) => one.code)).toContain('unreadable')
    }
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('S9: a quoted heredoc and a comment are no commands, but still ask', async () => {
    const result = await analyse("cat <<'EOF'\n$(rm x)\nEOF\n# && rm y")
    expect(result.verdict).toBe('complex')
    expect(result.programs).toEqual([['cat']])
    expect(result.findings.map((one) => one.code)).toEqual(['heredoc'])
  })
})
