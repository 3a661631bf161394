/** The address bar: what a URL must look like before anything is looked up. */
import { AppError } from '../protocol/errors.ts'

const DEFAULT_PORTS = new Set(['80', '443'])

/**
 * Parses once, into the only form that is used from then on, and refuses everything but http(s) on port 80, 443 or one the operator allowed.
 *
 * @param allow `host` (ports 80 and 443) or `host:port`, as the operator wrote them.
 */
export function parseTarget(text: string, allow: readonly string[]): URL {
  const url = URL.parse(text)
  if (url === null) {
    throw new AppError('net.bad_url', 'not a URL', {
      hint: 'Give a full address such as https://example.com/page.',
    })
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AppError('net.blocked_scheme', `${url.protocol} addresses are not fetched`, {
      hint: 'Only http and https addresses can be fetched.',
      params: { scheme: url.protocol.replace(':', '') },
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError('net.userinfo', 'the address holds a user name or password', {
      hint: 'Take user:password@ out of the address; secrets belong in headers from the configuration.',
    })
  }
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  if (!DEFAULT_PORTS.has(port) && !isAllowed(hostOf(url), port, allow)) {
    throw new AppError('net.blocked_port', `port ${port} is not allowed`, {
      hint: `Only ports 80 and 443 are fetched. An operator may allow ${hostOf(url)}:${port} in the configuration.`,
      params: { host: hostOf(url), port },
    })
  }
  return url
}

/** True when the operator named this host, and this port if it is not 80 or 443. */
export function isAllowed(hostname: string, port: string, allow: readonly string[]): boolean {
  return allow.some((entry) => {
    const named = URL.parse(`http://${entry}`)
    if (named === null || hostOf(named) !== hostname.replace(/\.$/, '')) return false
    // URL drops the :80 of http itself, so the port is read from the text.
    const written = /:(\d+)$/.exec(entry)?.[1]
    return written === undefined ? DEFAULT_PORTS.has(port) : Number(written) === Number(port)
  })
}

/** Host name in lower case, without brackets and without the dot at the end that changes nothing. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}
