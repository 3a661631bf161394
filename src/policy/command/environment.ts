/** Variables with which the next program can be made to do something else. */

const EXACT: ReadonlySet<string> = new Set(
  (
    'PATH BASH_ENV ENV PS4 IFS PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH GLOBIGNORE NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB ' +
    'PAGER MANPAGER EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE LESS HOME SHELL TMPDIR JAVA_TOOL_OPTIONS _JAVA_OPTIONS ' +
    'JDK_JAVA_OPTIONS CLASSPATH GCONV_PATH LOCPATH HOSTALIASES RES_OPTIONS OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR TERMINFO ' +
    'TERMCAP INPUTRC MAKEFLAGS MFLAGS CC CXX LUA_PATH LUA_CPATH LUA_INIT R_PROFILE PHPRC PHP_INI_SCAN_DIR'
  ).split(' '),
)
const PREFIXES =
  /^(LD_|DYLD_|PYTHON|PERL5|GIT_|RUSTUP_|CARGO_|NPM_|PIP_|UV_|BASH_FUNC_|MALLOC_|GLIBC_|DOCKER_|KUBE|SSH_|SUDO_|GEM_|BUNDLE_)/
const PROXY = /_PROXY$/

/** The first name that a call may not set, whatever its value. Compared without case. */
export function forbiddenVariable(names: readonly string[]): string | undefined {
  return names.find((name) => {
    const upper = name.toUpperCase()
    return (
      EXACT.has(upper) || PREFIXES.test(upper) || PROXY.test(upper) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    )
  })
}
