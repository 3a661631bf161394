/** The shape of `yizhan.yaml`. Every key is here; unknown keys are refused by {@link loadConfig}. */
import { z } from 'zod'
import { configuredSchedule } from './schedule.ts'

const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'a duration such as 30s, 30m, 12h or 7d')
  .transform((text) => parseDuration(text))

const userKey = z
  .string()
  .regex(/^(feishu|wecom):[^\s:]+$/, 'a user as platform:id, e.g. feishu:ou_0123 or wecom:zhangsan')

const url = z.url('a URL such as https://bot.example.com')

const modelProfile = z.discriminatedUnion('protocol', [
  z.strictObject({
    protocol: z.literal('openai'),
    baseUrl: url,
    /** Empty is legal: local servers such as Ollama need none. */
    apiKey: z.string().default(''),
    model: z.string().min(1),
    contextTokens: z.int().min(4_000).default(128_000),
    maxOutputTokens: z.int().min(256).default(8_192),
    images: z.boolean().default(true),
    /** Extra fields of the request body, for providers with switches of their own. */
    extra: z.record(z.string(), z.unknown()).default({}),
    price: z
      .strictObject({
        input: z.number(),
        output: z.number(),
        cached: z.number().optional(),
        currency: z.string().default('CNY'),
      })
      .optional(),
  }),
  z.strictObject({
    protocol: z.literal('anthropic'),
    baseUrl: url.default('https://api.anthropic.com'),
    apiKey: z.string().min(1),
    model: z.string().min(1),
    contextTokens: z.int().min(4_000).default(200_000),
    maxOutputTokens: z.int().min(256).default(8_192),
    images: z.boolean().default(true),
    /** How much the model thinks; left to the server when absent. */
    effort: z.enum(['low', 'medium', 'high']).optional(),
    /** Asks for the context of a million tokens and counts on it. */
    context1m: z.boolean().optional(),
    price: z
      .strictObject({
        input: z.number(),
        output: z.number(),
        cached: z.number().optional(),
        currency: z.string().default('USD'),
      })
      .optional(),
  }),
  z.strictObject({ protocol: z.literal('demo') }),
])

const feishuBot = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, at most 32'),
    platform: z.literal('feishu'),
    appId: z.string().regex(/^cli_[0-9a-fA-F]{16}$/, 'an App ID: cli_ and 16 hexadecimal digits'),
    appSecret: z.string().min(1),
    domain: z.union([z.enum(['feishu', 'lark']), url]).default('feishu'),
    transport: z.enum(['websocket', 'webhook']).default('websocket'),
    encryptKey: z.string().min(1).optional(),
    verificationToken: z.string().min(1).optional(),
    /** Also accepted while a secret is being rotated. */
    previousEncryptKey: z.string().min(1).optional(),
    /** Answer messages that mention @all. */
    answerAll: z.boolean().default(false),
    locale: z.enum(['zh-CN', 'en']).optional(),
  })
  .refine((bot) => bot.transport !== 'webhook' || (bot.encryptKey && bot.verificationToken), {
    message:
      'transport: webhook needs both encryptKey and verificationToken (console: Events & callbacks → Encryption strategy)',
    path: ['encryptKey'],
  })

const aesKey = z.string().regex(/^[A-Za-z0-9]{43}$/, 'an EncodingAESKey of exactly 43 letters and digits')

const wecomBot = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, at most 32'),
    platform: z.literal('wecom'),
    /** The bot's name in chats; its @mention is stripped from texts. */
    name: z.string().optional(),
    aibot: z
      .union([
        z.strictObject({
          botId: z.string().min(1),
          secret: z.string().min(1),
          wsUrl: z.url().default('wss://openws.work.weixin.qq.com'),
        }),
        z.strictObject({
          token: z.string().min(1),
          encodingAesKey: aesKey,
          botId: z.string().min(1).optional(),
        }),
      ])
      .optional(),
    app: z
      .strictObject({
        corpId: z.string().min(1),
        agentId: z.int(),
        secret: z.string().min(1),
        token: z.string().min(1).optional(),
        encodingAesKey: aesKey.optional(),
        baseUrl: url.default('https://qyapi.weixin.qq.com'),
      })
      .optional(),
    groupRobots: z.record(z.string(), z.string()).default({}),
    streamLimitSeconds: z.int().min(60).max(600).default(360),
    /** How approval cards reach a group: tried in this order, text is always the last way. */
    groupCards: z.enum(['reply', 'all', 'none']).default('reply'),
    imageBytes: z.int().default(2 * 1024 * 1024),
    locale: z.enum(['zh-CN', 'en']).optional(),
    /** Who may query approvals: admins always; `own` lets everyone see their own requests. */
    approvals: z
      .strictObject({
        query: z.enum(['admins', 'own', 'everyone']).default('own'),
        notifyChat: z.string().optional(),
      })
      .prefault({}),
  })
  .refine((bot) => bot.aibot ?? bot.app ?? Object.keys(bot.groupRobots).length > 0, {
    message: 'a wecom bot needs aibot, app or groupRobots',
  })

const approvalRule = z.strictObject({
  /** Tool name, or a prefix with `*`. */
  tool: z.string().optional(),
  /** For commands: the program's name, e.g. `git`. */
  program: z.string().optional(),
  /** For commands: arguments that must follow, in order, e.g. [status]. */
  args: z.array(z.string()).optional(),
  /** For files: path relative to the workspace, `*` and `**` allowed. */
  path: z.string().optional(),
  chat: z.string().optional(),
  user: userKey.optional(),
  effect: z.enum(['allow', 'ask', 'deny']),
  /** Told to the model and the person on deny. */
  reason: z.string().optional(),
})

const mcpServer = z
  .strictObject({
    /** A program that speaks MCP on its standard input and output; runs in the sandbox. */
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    /** The program's whole environment beside PATH, HOME, LANG, TERM and TZ. */
    env: z.record(z.string(), z.string()).default({}),
    cwd: z.string().optional(),
    /** Or a server on the network. */
    url: url.optional(),
    transport: z.enum(['http', 'sse']).default('http'),
    headers: z.record(z.string(), z.string()).default({}),
    /** Credentials of a client registered at the server's authorization server; without them it registers itself. */
    oauth: z.strictObject({ clientId: z.string().min(1), clientSecret: z.string().optional() }).optional(),
    /** Overrides `mcp.network` for this program. */
    network: z.enum(['none', 'host']).optional(),
    disabled: z.boolean().default(false),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    message: 'an MCP server needs either command or url',
  })

const mcpCaller = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and hyphens, at most 32'),
  /** Sent as "Authorization: Bearer …"; a caller without one can only be the stdio command. */
  token: z.string().min(16, 'a token of at least 16 characters').optional(),
  /** Groups (workstation, workbench, agent, all) and names of single tools. */
  tools: z.array(z.string()).min(1).default(['workstation']),
  /** Where calls that need a person ask. */
  chat: z
    .strictObject({
      bot: z.string(),
      id: z.string().min(1),
      type: z.enum(['group', 'direct']).default('group'),
    })
    .optional(),
  /** In whose name calls are made; without it the caller is nobody's and administrators decide. */
  user: userKey.optional(),
  /** Chats whose workspaces the workbench tools may see, beside the caller's own. */
  workspaces: z
    .array(z.strictObject({ bot: z.string(), id: z.string().min(1), thread: z.string().optional() }))
    .default([]),
})

/** Who may have something read for them: a list holds people and chats (`chat:ops:oc_…`). */
const reportReaders = z.union([z.enum(['everyone', 'admins']), z.array(z.string())])
const allow = reportReaders.default('admins')

const reportSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('postgres'), url: z.string().min(1), allow }),
  z.strictObject({ type: z.literal('mysql'), url: z.string().min(1), allow }),
  z.strictObject({ type: z.literal('sqlite'), path: z.string().min(1), allow }),
  z.strictObject({
    type: z.literal('csv'),
    /** `{date}`, `{yesterday}` and `{month}` stand for the report's day. */
    path: z.string().min(1),
    encoding: z.enum(['auto', 'utf-8', 'gb18030', 'utf-16le']).default('auto'),
    allow,
  }),
  z.strictObject({
    type: z.literal('xlsx'),
    path: z.string().min(1),
    sheet: z.coerce.string().optional(),
    allow,
  }),
  z.strictObject({
    type: z.literal('json'),
    url: z.string().min(1),
    headers: z.record(z.string(), z.string()).default({}),
    /** Where the list of rows is in the answer, e.g. `data.items`. */
    rows: z.string().default(''),
    allow,
  }),
])

const reportName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,47}$/u, 'letters, digits, hyphens and underscores, at most 48')

/** Where web searches go; every kind has its public address as the default. */
const searchSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('searxng'), baseUrl: url }),
  z.strictObject({
    kind: z.enum(['bing', 'brave', 'tavily', 'bocha']),
    apiKey: z.string().min(1),
    baseUrl: url.optional(),
  }),
])

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8787),
      publicUrl: url.optional(),
    })
    .prefault({}),
  dataDir: z.string().default('./data'),
  locale: z.enum(['zh-CN', 'en']).default('zh-CN'),
  models: z
    .strictObject({
      default: z.string().default('demo'),
      profiles: z.record(z.string(), modelProfile).default({ demo: { protocol: 'demo' } }),
    })
    .prefault({}),
  bots: z.array(z.discriminatedUnion('platform', [feishuBot, wecomBot])).default([]),
  access: z
    .strictObject({
      admins: z.array(userKey).default([]),
      talk: z.union([z.literal('everyone'), z.array(z.string())]).default('everyone'),
      operate: z.union([z.literal('everyone'), z.array(z.string())]).default('everyone'),
    })
    .prefault({}),
  approval: z
    .strictObject({
      mode: z.enum(['ask', 'never']).default('ask'),
      approvers: z.union([z.enum(['admins', 'requester']), z.array(userKey)]).default('admins'),
      selfApproval: z.enum(['never', 'admins', 'always']).default('admins'),
      expires: duration.default(30 * 60_000),
      maxPendingPerChat: z.int().min(1).default(5),
      rules: z.array(approvalRule).default([]),
    })
    .prefault({}),
  sandbox: z
    .strictObject({
      kind: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
      network: z.enum(['none', 'host']).default('none'),
      memoryMb: z.int().min(64).default(1024),
      pids: z.int().min(16).default(256),
      fileMb: z.int().min(1).default(512),
      user: z.string().default('nobody'),
    })
    .prefault({}),
  mcp: z
    .strictObject({
      /** Also take the servers of .mcp.json, ~/.claude.json, ~/.codex/config.toml and Claude Code plugins. */
      discover: z.boolean().default(true),
      /** Network of programs that are MCP servers. */
      network: z.enum(['none', 'host']).default('none'),
      servers: z.record(z.string().min(1), mcpServer).default({}),
      serve: z
        .strictObject({
          callers: z.array(mcpCaller).default([]),
          /** How long a call waits for a person before the caller gets an id to ask again with. */
          wait: duration.default(2 * 60_000),
          callsPerMinute: z.int().min(1).default(120),
        })
        .prefault({}),
    })
    .prefault({}),
  limits: z
    .strictObject({
      concurrency: z.int().min(1).default(16),
      steps: z.int().min(1).default(50),
      tokensPerRun: z.int().min(1_000).default(1_000_000),
      runMinutes: z.int().min(1).default(60),
      inboundFileMb: z.int().min(1).default(100),
    })
    .prefault({}),
  reports: z
    .strictObject({
      sources: z.record(reportName, reportSource).default({}),
      /** Reports with their parameters filled in, for people who write no SQL. */
      saved: z
        .record(
          reportName,
          z.strictObject({
            about: z.string().min(1),
            report: z.string().min(1),
            params: z.record(z.string(), z.unknown()).default({}),
            /** Instead of the source's own. */
            allow: reportReaders.optional(),
          }),
        )
        .default({}),
      /** `host` or `host:port` of JSON sources that are not public. */
      allowHosts: z.array(z.string()).default([]),
      /** A font file with Chinese characters; found by itself when it is absent. */
      font: z.string().optional(),
      rows: z.int().min(1).default(50_000),
      megabytes: z.int().min(1).default(16),
      seconds: z.int().min(1).default(30),
    })
    .prefault({}),
  search: z
    .strictObject({
      /** Asked in this order; the first that answers to the point wins. */
      sources: z.array(searchSource).max(10).default([]),
      /** Result pages of public search engines, after the sources. */
      keyless: z.boolean().default(true),
    })
    .prefault({}),
  web: z
    .strictObject({
      /** Hosts inside the company that web_fetch may read, as host or host:port. */
      allowHosts: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  memory: z
    .strictObject({
      /** An OpenAI-compatible endpoint; without it memory is searched by words. */
      embeddings: z
        .strictObject({ baseUrl: url, apiKey: z.string().default(''), model: z.string().min(1) })
        .optional(),
    })
    .prefault({}),
  skills: z
    .strictObject({
      /** Folders of skills beside the known ones. */
      folders: z.array(z.string().min(1)).default([]),
      /** ~/.yizhan, ~/.claude, ~/.codex and the plugins of Claude Code. */
      discover: z.boolean().default(true),
    })
    .prefault({}),
  schedules: z
    .array(configuredSchedule)
    .default([])
    .refine(
      (all) => new Set(all.map((one) => one.id)).size === all.length,
      'ids that differ from each other',
    ),
  calendar: z
    .strictObject({
      /** Zone of schedules that name none. */
      timezone: z.string().default('Asia/Shanghai'),
      /** YAML with holidays by year; a year here replaces the built-in one. */
      file: z.string().optional(),
    })
    .prefault({}),
  workbench: z
    .strictObject({
      /** Terminals that stay open between calls. */
      terminal: z.boolean().default(false),
      /** A task board whose tasks agents work on in the background. */
      task: z.boolean().default(false),
      /** Settings and profiles that administrators may change without a restart. */
      settings: z.boolean().default(false),
      /** A terminal that nobody read or wrote for so long is closed. */
      idle: duration.default(30 * 60_000),
      terminalsPerWorkspace: z.int().min(1).max(32).default(4),
      tasksAtOnce: z.int().min(1).max(16).default(3),
      /** Proxies and npm settings for commands where the sandbox has a network; `default` is always there. */
      networkProfiles: z.array(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/)).default(['default']),
    })
    .prefault({}),
  browser: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** `host` or `host:port` that may be private, or public on another port than 80 and 443. */
      allow: z.array(z.string().min(1)).default([]),
      /** Browsers of all sessions together. */
      max: z.int().min(1).max(64).default(4),
      idle: duration.default(10 * 60_000),
      /** How long cookies and storage of a closed browser are kept; `/new` wipes them at its next use. */
      keep: duration.default(24 * 3_600_000),
    })
    .prefault({}),
  computer: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Programs that may be opened on the virtual desktop, by name. */
      programs: z.array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*$/)).default(['mousepad']),
      max: z.int().min(1).max(64).default(2),
      idle: duration.default(10 * 60_000),
    })
    .prefault({}),
  video: z
    .strictObject({
      enabled: z.boolean().default(false),
      apiKey: z.string().default(''),
      baseUrl: url.default('https://api.minimaxi.com'),
      model: z.string().min(1).default('MiniMax-H3'),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
      pretty: z.boolean().default(false),
    })
    .prefault({}),
})

export type Config = z.output<typeof configSchema>
export type ModelProfile = z.output<typeof modelProfile>
export type FeishuBotConfig = z.output<typeof feishuBot>
export type WecomBotConfig = z.output<typeof wecomBot>
export type WorkbenchConfig = z.output<typeof configSchema>['workbench']
export type ReportsConfig = z.output<typeof configSchema>['reports']
export type ApprovalRule = z.output<typeof approvalRule>

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

function parseDuration(text: string): number {
  const [, amount = '0', unit = 'ms'] = /^(\d+)(\D+)$/.exec(text) ?? []
  return Number(amount) * (UNIT_MS[unit] ?? 1)
}
