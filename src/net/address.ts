/** Which network addresses a fetch for somebody else may reach. Knows ranges; knows no names. */
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Cloud metadata services outside the ranges that are refused anyway. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '169.254.169.254', 'fd00:ec2::254'])

/** `public`; `private` may be allowed by an operator; `forbidden` never. */
export type AddressVerdict = 'public' | 'private' | 'forbidden'

/**
 * Judges an IP address in any notation that `ipaddr.js` reads. An address that is not plainly public is
 * not public: IPv4 inside IPv6 (`::ffff:0:0/96`, `::/96`, NAT64, 6to4) counts as a way around the check.
 *
 * @param own addresses of this machine's interfaces, public ones included.
 */
export function judgeAddress(address: string, own: readonly string[]): AddressVerdict {
  if (!ipaddr.isValid(address)) return 'forbidden'
  const parsed = ipaddr.parse(address)
  const text = parsed.toNormalizedString()
  const range = parsed.range()
  if (METADATA.has(address) || METADATA.has(parsed.toString()) || range === 'linkLocal') return 'forbidden'
  if (own.some((mine) => ipaddr.isValid(mine) && ipaddr.parse(mine).toNormalizedString() === text)) {
    return 'private'
  }
  if (range === 'private' || range === 'loopback' || range === 'uniqueLocal' || range === 'carrierGradeNat') {
    return 'private'
  }
  if (range !== 'unicast' || isCompatible(parsed)) return 'forbidden'
  return 'public'
}

/** `::/96`, the deprecated "IPv4-compatible" form. */
function isCompatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.parts.slice(0, 6).every((part) => part === 0)
}

/** Addresses of this machine's network interfaces. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address))
}
