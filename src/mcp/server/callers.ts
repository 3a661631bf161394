/** Who calls us: known by a token, with the tools and the chat that the operator gave to it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Address, type UserKey, userKey } from '../../protocol/address.ts'

export interface CallerConfig {
  readonly name: string
  readonly token?: string | undefined
  readonly tools: readonly string[]
  readonly chat?: { readonly bot: string; readonly id: string; readonly type: 'group' | 'direct' } | undefined
  readonly user?: string | undefined
}

/** An entry of `mcp.serve.callers`, without its token. */
export interface Caller {
  readonly name: string
  /** Groups and names of tools, as the operator wrote them. */
  readonly tools: readonly string[]
  /** In whose name calls are made; `mcp:<name>` is nobody's on any platform. */
  readonly user: UserKey
  /** Chat in which a call that needs a person asks; without one such calls are refused. */
  readonly chat: Address | undefined
}

/** Looks callers up; a token is compared by its digest, in constant time. */
export interface Callers {
  /** The caller of an `Authorization` header; undefined for a header that fits none. */
  byHeader(header: string | undefined): Caller | undefined
  byName(name: string): Caller | undefined
}

/** A caller without a token is found by its name only, never by a header. */
export function createCallers(configs: readonly CallerConfig[]): Callers {
  const callers = new Map(configs.map((config) => [config.name, callerOf(config)]))
  const digests = configs.flatMap(({ name, token }) =>
    token === undefined ? [] : [{ name, digest: sha256(token) }],
  )
  return {
    byName: (name) => callers.get(name),
    byHeader: (header) => {
      const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1]
      if (token === undefined) return undefined
      const given = sha256(token)
      // Every digest is compared, so that the time says nothing about which one fits.
      const fitting = digests.filter(({ digest }) => timingSafeEqual(digest, given))
      return fitting[0] && callers.get(fitting[0].name)
    },
  }
}

function callerOf({ name, tools, chat, user }: CallerConfig): Caller {
  return {
    name,
    tools,
    user:
      user === undefined
        ? userKey('mcp', name)
        : userKey(user.slice(0, user.indexOf(':')), user.slice(user.indexOf(':') + 1)),
    chat: chat && { botId: chat.bot, chatId: chat.id, chatType: chat.type },
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
