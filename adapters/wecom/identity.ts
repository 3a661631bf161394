/** Who somebody is. WeCom compares user ids without case; ids of other companies are encrypted. */
import { userKey } from '../../src/protocol/address.ts'
import type { Sender } from '../../src/protocol/inbound.ts'

/**
 * Encrypted ids of people of other companies and of bots not made by the company: `wo` and a long
 * opaque rest (field report wecom-openclaw-plugin#133). Employees' ids are chosen by an admin.
 */
const ENCRYPTED_ID = /^wo(?=.*[A-Z0-9_-])[A-Za-z0-9_-]{14,}$/

export function isEncryptedId(id: string): boolean {
  return ENCRYPTED_ID.test(id)
}

/** A person of a callback. An external one gets an `unknown:` key, which no rule can ever match. */
export function senderOf(id: string, foreignCorp = false): Sender {
  const isExternal = foreignCorp || isEncryptedId(id)
  return { user: isExternal ? `unknown:${id}` : userKey('wecom', id), isBot: false, isExternal }
}
