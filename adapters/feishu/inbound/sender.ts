import { userKey } from '../../../src/protocol/address.ts'
import type { Sender } from '../../../src/protocol/inbound.ts'

interface Person {
  readonly open_id?: string | null | undefined
  readonly user_id?: string | null | undefined
  readonly union_id?: string | null | undefined
}

/**
 * A person as rules see him. Without an `open_id` he becomes `unknown:…`, which no rule matches; a
 * tenant that is missing or differs from the app's own counts as another company.
 */
export function readSender(
  person: Person | null | undefined,
  options: {
    tenant: string | null | undefined
    ownTenant: string
    isBot: boolean
    name?: string | undefined
  },
): Sender {
  const { tenant, ownTenant, isBot, name } = options
  return {
    user: person?.open_id
      ? userKey('feishu', person.open_id)
      : userKey('unknown', person?.union_id || person?.user_id || 'nobody'),
    isBot,
    isExternal: !tenant || !ownTenant || tenant !== ownTenant,
    ...(name ? { name } : {}),
  }
}
