/** What the adapter needs to know about one WeCom bot; the fields of a `platform: wecom` bot. */

/** AI bot over the long connection. */
export interface AibotSocketConfig {
  readonly botId: string
  /** The bot's own long-connection secret; not the secret of an app. */
  readonly secret: string
  readonly wsUrl: string
}

/** What callbacks are signed and encrypted with. */
export interface CallbackSecrets {
  readonly token: string
  /** 43 characters of `[A-Za-z0-9]`. */
  readonly encodingAesKey: string
}

/** Those that are being rotated out. */
export interface PreviousSecrets extends CallbackSecrets {
  /** Wall time from which they are refused; absent: while they are configured. */
  readonly until?: number | undefined
}

/** AI bot by URL callback. WeCom allows one of the two modes per bot. */
export interface AibotCallbackConfig extends CallbackSecrets {
  readonly previous?: PreviousSecrets | undefined
  /** When given, callbacks of any other `aibotid` are refused. */
  readonly botId?: string | undefined
}

/** A self-built app: the token of the approval and contact APIs, and pushes to members. */
export interface AppConfig {
  readonly corpId: string
  readonly agentId: number
  readonly secret: string
  readonly token?: string | undefined
  readonly encodingAesKey?: string | undefined
  readonly previous?: PreviousSecrets | undefined
  readonly baseUrl: string
}

/** A bot has an AI bot in one of its two modes, an app, group robots, or several of these. */
export interface WecomConfig {
  readonly id: string
  /** The bot's display name; learned from group messages when absent. */
  readonly name?: string | undefined
  readonly aibot?: AibotSocketConfig | AibotCallbackConfig | undefined
  readonly app?: AppConfig | undefined
  /** Name → key of a group robot; addressed as `robot:<name>`. */
  readonly groupRobots: Readonly<Record<string, string>>
  readonly streamLimitSeconds: number
  readonly groupCards: 'reply' | 'all' | 'none'
  /** Largest image; sources disagree between 2 and 10 MB. */
  readonly imageBytes: number
  /**
   * Hosts trusted for media and `response_url` beside WeCom's own, also over plain http: a simulator
   * or a private deployment. The hosts of `wsUrl` and `baseUrl` are trusted without being listed.
   */
  readonly trustedHosts?: readonly string[] | undefined
}

/** The platform's public API; where group robots and `response_url` live. */
export const PUBLIC_API = 'https://qyapi.weixin.qq.com'

/** Narrows an AI bot to the long connection. */
export function isSocketBot(aibot: WecomConfig['aibot']): aibot is AibotSocketConfig {
  return aibot !== undefined && 'wsUrl' in aibot
}

/** Narrows an AI bot to the URL callback. */
export function isCallbackBot(aibot: WecomConfig['aibot']): aibot is AibotCallbackConfig {
  return aibot !== undefined && 'encodingAesKey' in aibot
}
