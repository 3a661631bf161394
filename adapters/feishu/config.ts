/** One Feishu or Lark application, as `yizhan.yaml` describes it under `bots`. */
export interface FeishuConfig {
  /** Id of the bot in our own configuration, e.g. `ops`. */
  readonly id: string
  /** `cli_` and 16 hexadecimal digits; the SDK's socket refuses any other form without saying so. */
  readonly appId: string
  readonly appSecret: string
  /** `feishu`, `lark`, or the base URL of a private deployment or simulator. */
  readonly domain: string
  readonly transport: 'websocket' | 'webhook'
  /** Required with `webhook`. */
  readonly encryptKey?: string | undefined
  /** Required with `webhook`. */
  readonly verificationToken?: string | undefined
  /** The key that was valid before; accepted until it is taken out of the configuration. */
  readonly previousEncryptKey?: string | undefined
  /** Wall time from which the previous key is refused. */
  readonly previousUntil?: number | undefined
  /** Messages that mention everyone count as mentioning the bot. */
  readonly answerAll: boolean
}

const DOMAINS: Readonly<Record<string, string>> = {
  feishu: 'https://open.feishu.cn',
  lark: 'https://open.larksuite.com',
}

/** Base URL of the open platform, without a trailing slash. */
export function baseUrl(domain: string): string {
  return DOMAINS[domain] ?? domain.replace(/\/+$/, '')
}

/** Page of the developer console where a setting is changed; used in hints and by the doctor. */
export function consoleLink(config: Pick<FeishuConfig, 'appId' | 'domain'>, page: ConsolePage): string {
  return `${baseUrl(config.domain)}/app/${config.appId}/${page}`
}

/** Pages of one app in the developer console. */
export type ConsolePage = 'baseinfo' | 'bot' | 'auth' | 'event' | 'version' | 'safe'
