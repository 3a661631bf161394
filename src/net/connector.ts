/**
 * Connections that look before they leap: one resolution, every answer judged, and exactly the judged
 * addresses dialled, while TLS and Host keep the name (N1, N2).
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { buildConnector } from 'undici'
import { AppError } from '../protocol/errors.ts'
import { judgeAddress } from './address.ts'

/** Every address of a name, as the system's resolver gives them. */
export type Resolver = (hostname: string) => Promise<readonly string[]>

/** By the system's own rules, hosts file included; rejects with Node's error when the name is unknown. */
export const systemResolver: Resolver = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map((entry) => entry.address)

export interface ConnectorDeps {
  readonly build: typeof buildConnector
  readonly resolver: Resolver
  readonly own: () => readonly string[]
  /** Whether the operator named this host and port; judged again at each connection. */
  readonly allowed: (hostname: string, port: string) => boolean
  readonly connectTimeoutMs: number
}

export function guardedConnector(deps: ConnectorDeps): buildConnector.connector {
  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '')
    const port = options.port || (options.protocol === 'https:' ? '443' : '80')
    approvedAddresses(hostname, port, deps).then(
      (addresses) => dial(deps, options, hostname, addresses)(callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/** The addresses of a host that may be dialled now; rejects with `net.blocked_address` when any may not. */
export async function approvedAddresses(
  hostname: string,
  port: string,
  deps: Pick<ConnectorDeps, 'resolver' | 'own' | 'allowed'>,
): Promise<string[]> {
  // Node never asks a lookup hook about literals, so they are judged here like any other answer.
  const addresses = isIP(hostname) === 0 ? await deps.resolver(hostname) : [hostname]
  const own = deps.own()
  const bearable = deps.allowed(hostname, port) ? ['public', 'private'] : ['public']
  const refused = addresses.find((address) => !bearable.includes(judgeAddress(address, own)))
  if (refused !== undefined || addresses.length === 0) {
    throw new AppError('net.blocked_address', `${hostname} is not a public address`, {
      hint: `Only public addresses are fetched. An operator may allow ${hostname} in the configuration.`,
      params: { host: hostname },
    })
  }
  return [...addresses]
}

function dial(
  deps: ConnectorDeps,
  options: buildConnector.Options,
  hostname: string,
  addresses: readonly string[],
): (callback: buildConnector.Callback) => void {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = entries
  const connect = deps.build({
    timeout: deps.connectTimeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    lookup: (_name, wanted, done) => {
      if (wanted.all) done(null, entries)
      else done(null, first?.address ?? '', first?.family)
    },
  })
  return (callback) => connect({ ...options, hostname }, callback)
}
