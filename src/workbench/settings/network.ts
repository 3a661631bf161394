/** Network profiles: proxies and npm settings as the environment of commands. Pure. */
import { createHash } from 'node:crypto'
import { z } from 'zod'

const withoutLogin = (value: string, protocols: readonly string[]): boolean => {
  if (value === '') return true
  const url = URL.parse(value)
  return url !== null && protocols.includes(url.protocol) && url.username === '' && url.password === ''
}

const proxy = z
  .string()
  .max(300)
  .refine((value) => withoutLogin(value, ['http:', 'https:', 'socks5:', 'socks5h:']), {
    message: 'an http, https or socks5 URL without user name and password, or empty',
  })
  .optional()

const registry = z
  .string()
  .max(300)
  .refine((value) => withoutLogin(value, ['http:', 'https:']), {
    message: 'an http or https URL without user name and password, or empty',
  })
  .optional()

/** Fields of `network_profile_update`, beside the profile's id. Empty text takes a value away. */
export const networkChange = z.object({
  name: z.string().trim().min(1).max(60).optional().describe('Name that people see.'),
  enabled: z.boolean().optional().describe('Whether it has an effect.'),
  isDefault: z.boolean().optional().describe('The one profile that commands and terminals get.'),
  httpProxy: proxy.describe('HTTP_PROXY.'),
  httpsProxy: proxy.describe('HTTPS_PROXY.'),
  allProxy: proxy.describe('ALL_PROXY.'),
  noProxy: z
    .string()
    .max(1_000)
    .regex(/^[\w.,:*\-[\]/ ]*$/, 'host names with commas')
    .optional()
    .describe('NO_PROXY: hosts reached directly, with commas.'),
  npmRegistry: registry.describe('Registry of npm.'),
  npmProxy: proxy.describe('Proxy of npm for http.'),
  npmHttpsProxy: proxy.describe('Proxy of npm for https.'),
  npmStrictSsl: z.boolean().optional().describe('Whether npm checks certificates.'),
  npmCaPath: z
    .string()
    .max(300)
    .regex(
      /^$|^\/(?:usr|etc\/ssl\/certs)\/(?!.*\.\.)[\w./@+-]+$/,
      'a file below /usr or /etc/ssl/certs, or empty',
    )
    .optional()
    .describe('File of certificates that npm trusts; the sandbox sees only /usr and /etc/ssl/certs.'),
})

export type NetworkChange = z.output<typeof networkChange>

/** What is stored about a network profile. Being the default is one setting for all of them. */
export const networkOverride = networkChange.omit({ isDefault: true })
export type NetworkOverride = z.output<typeof networkOverride>

/** Variables of commands under a profile; none when it is switched off. */
export function environmentOf(profile: NetworkOverride): Record<string, string> {
  if (profile.enabled === false) return {}
  const both = (names: string, value: string | undefined): Record<string, string> =>
    value ? { [names]: value, [names.toLowerCase()]: value } : {}
  const one = (variable: string, value: string | undefined): Record<string, string> =>
    value ? { [variable]: value } : {}
  return {
    ...both('HTTP_PROXY', profile.httpProxy),
    ...both('HTTPS_PROXY', profile.httpsProxy),
    ...both('ALL_PROXY', profile.allProxy),
    ...both('NO_PROXY', profile.noProxy),
    ...one('npm_config_registry', profile.npmRegistry),
    ...one('npm_config_proxy', profile.npmProxy),
    ...one('npm_config_https_proxy', profile.npmHttpsProxy),
    ...one('npm_config_strict_ssl', profile.npmStrictSsl?.toString()),
    ...one('npm_config_cafile', profile.npmCaPath),
  }
}

/** A word for the sandbox's profile line, so that an approved call does not run under other settings. */
export function environmentLabel(id: string, env: Readonly<Record<string, string>>): string {
  if (Object.keys(env).length === 0) return ''
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(env).sort()))
    .digest('hex')
  return `network-profile=${id}#${digest.slice(0, 8)}`
}
