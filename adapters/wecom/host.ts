/** Which hosts we fetch media from and post answers to. URLs in callbacks are data, not orders (SSRF). */
import { AppError } from '../../src/protocol/errors.ts'
import { isSocketBot, PUBLIC_API, type WecomConfig } from './config.ts'

/** WeCom's own domains, and the object store that holds the AI bot's media. */
const PLATFORM_DOMAINS = ['.qq.com', '.myqcloud.com', '.qpic.cn']

export interface HostRule {
  /** Throws `wecom.host_refused` unless the URL leads to the platform by https, or to a trusted host. */
  check(url: string): URL
}

export function createHostRule(config: WecomConfig): HostRule {
  const configured = [isSocketBot(config.aibot) ? config.aibot.wsUrl : undefined, config.app?.baseUrl]
  const trusted = new Set([
    ...configured.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])),
    ...(config.trustedHosts ?? []),
    new URL(PUBLIC_API).hostname,
  ])
  return {
    check: (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      const platform = url && PLATFORM_DOMAINS.some((domain) => url.hostname.endsWith(domain))
      const secure = url?.protocol === 'https:'
      const ours = url && trusted.has(url.hostname) && (secure || url.protocol === 'http:')
      if (url && ((platform && secure) || ours)) return url
      throw new AppError(
        'wecom.host_refused',
        `a URL of ${url?.hostname ?? 'no valid host'} is not followed`,
        {
          hint: 'Media and answers go to WeCom only. Add the host to trustedHosts if it is yours.',
        },
      )
    },
  }
}
