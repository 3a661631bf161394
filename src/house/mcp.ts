/** MCP servers of others: found, connected and offered as tools. */
import { dirname, join } from 'node:path'
import type { Approvals } from '../approval/approvals.ts'
import type { Config } from '../config/schema.ts'
import { createTranslate } from '../locale/index.ts'
import { createMcpCommand, type McpCommand } from '../mcp/client/command.ts'
import { createDiscovery, type DiscoveryPlaces } from '../mcp/client/discovery.ts'
import { readEntry, type ServerEntry } from '../mcp/client/entry.ts'
import { createLogins, type Logins } from '../mcp/client/logins.ts'
import { createMcpServers, type McpServers } from '../mcp/client/servers.ts'
import { createWires } from '../mcp/client/wires.ts'
import { createPublicFetch } from '../net/public-fetch.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { PlaygroundMcp } from '../protocol/playground.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import type { HouseOptions } from './house.ts'
import { createMcpNews } from './mcp-news.ts'
import { mcpPage } from './mcp-page.ts'

export interface HouseMcp {
  readonly servers: McpServers
  readonly logins: Logins
  readonly source: ToolSource
  readonly command: McpCommand
  readonly page: PlaygroundMcp
}

/** What may be looked at beside yizhan.yaml: by the running service, not by a test. */
export interface McpSurroundings extends DiscoveryPlaces {
  /** Absolute path of yizhan.yaml, which no server may see. */
  readonly configFile: string | undefined
}

const NOWHERE: McpSurroundings = { home: undefined, project: undefined, variables: {}, configFile: undefined }

/** The client side of MCP, with its notices to administrators. */
export function buildMcp(
  options: HouseOptions,
  approvals: Approvals,
  outbox: Pick<Outbox, 'put' | 'flush'>,
): HouseMcp {
  const { config, clock, logger, store } = options
  const surroundings = options.surroundings ?? NOWHERE
  const baseUrl = config.server.publicUrl ?? `http://127.0.0.1:${config.server.port}`
  const logins = createLogins({ baseUrl: () => baseUrl, clock })
  const secret = [
    options.dataDir,
    ...(surroundings.configFile === undefined ? [] : [surroundings.configFile]),
  ]
  const servers = createMcpServers({
    ...options,
    discovery: createDiscovery({
      configured: configuredEntries(config),
      places: config.mcp.discover ? surroundings : NOWHERE,
      network: config.mcp.network,
    }),
    open: createWires({
      ...{ store, clock, random: options.random, logins, launcher: options.sandbox },
      places: { homes: join(options.dataDir, 'mcp'), secret, node: process.execPath },
      publicFetch: createPublicFetch(),
    }),
    onWithdrawn: (tools) => {
      approvals
        .cancelTools(tools, 'system')
        .catch((error: unknown) =>
          logger.error({ error, tools }, 'approvals of changed tools could not be taken back'),
        )
    },
  })
  const news = createMcpNews({ ...options, outbox })
  servers.onChange((name) => {
    const view = servers.list().find((one) => one.name === name)
    if (view) news(view)
  })
  return {
    servers,
    logins,
    source: { tools: () => servers.tools(), problem: servers.problem },
    command: createMcpCommand(servers, logins),
    page: mcpPage(servers, createTranslate(config.locale)),
  }
}

function configuredEntries({ mcp }: Config): ServerEntry[] {
  return Object.entries(mcp.servers).map(([name, { network, transport, ...entry }]) =>
    readEntry(
      name,
      { ...entry, type: transport },
      // Variables of yizhan.yaml are filled in when it is read.
      { origin: 'yizhan.yaml', network: network ?? mcp.network, variables: undefined },
    ),
  )
}

/** The files of this account and of the folder that holds yizhan.yaml. */
export function surroundingsOf(
  configFile: string | undefined,
  cwd: string,
  variables: DiscoveryPlaces['variables'],
): McpSurroundings {
  const home = variables['HOME']
  return { home, project: configFile === undefined ? cwd : dirname(configFile), variables, configFile }
}
