/** The shape of `yizhan.yaml`. Every key is here; unknown keys are refused by {@link loadConfig}. */
import { z } from 'zod'
import { configuredSchedule } from './schedule.ts'
import { approvalRule } from './sections/approval.ts'
import { feishuBot, wecomBot } from './sections/bot.ts'
import { mcpCaller, mcpServer } from './sections/mcp.ts'
import { modelProfile } from './sections/model.ts'
import { reportName, reportReaders, reportSource } from './sections/report.ts'
import { searchSource } from './sections/search.ts'
import { duration, tokensOrUnlimited, url, userKey } from './sections/values.ts'

/** Parses what YAML gives, after `${NAME}` was filled in; every default of the product stands here. */
export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8787),
      publicUrl: url.optional(),
    })
    .prefault({}),
  dataDir: z.string().default('./data'),
  /** PostgreSQL for several processes; the embedded database in dataDir without it. */
  database: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'an address like postgres://user:password@host:5432/yizhan')
    .optional(),
  /** Redis for wake-ups between processes; each works on what it receives without it. */
  redis: z
    .string()
    .regex(/^rediss?:\/\//, 'an address like redis://host:6379')
    .optional(),
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
      /** Of one chat since midnight (`calendar.timezone`), its schedules and tasks included. */
      tokensPerChatDay: tokensOrUnlimited.default(20_000_000),
      /** Of the whole service. */
      tokensPerDay: tokensOrUnlimited.default(200_000_000),
      runMinutes: z.int().min(1).default(60),
      inboundFileMb: z.int().min(1).default(100),
    })
    .prefault({}),
  inbound: z
    .strictObject({
      /** A message that is first seen so long after it was sent is not acted upon; its sender is told. */
      staleAfter: duration.default(2 * 3_600_000),
      /** Take the same words of the same person at the same moment, under other ids, for a replay. */
      dropReplays: z.boolean().default(true),
      /** So many messages of bots in a row are answered; then a person must speak, or ten minutes pass. */
      botChain: z.int().min(0).default(3),
    })
    .prefault({}),
  retention: z
    .strictObject({
      /** Files of a chat are wiped so long after the bot was removed from it or it was disbanded. */
      goneChats: z.union([z.literal('never'), duration]).default(90 * 86_400_000),
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
      /** Zone of schedules that name none, and of every time that people are shown. */
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

/** `yizhan.yaml` with all defaults filled in. */
export type Config = z.output<typeof configSchema>
/** One entry of `models.profiles`. */
export type ModelProfile = z.output<typeof modelProfile>
/** An entry of `bots` with `platform: feishu`. */
export type FeishuBotConfig = z.output<typeof feishuBot>
/** An entry of `bots` with `platform: wecom`. */
export type WecomBotConfig = z.output<typeof wecomBot>
/** The section `workbench`; its groups of tools are switched on one by one. */
export type WorkbenchConfig = z.output<typeof configSchema>['workbench']
/** The section `reports`: sources, saved reports, and how much a report may read. */
export type ReportsConfig = z.output<typeof configSchema>['reports']
/** One entry of `approval.rules`; how rules are weighed stands in src/policy/policy.ts. */
export type ApprovalRule = z.output<typeof approvalRule>
