/** Everything that reports can read, behind one door: who may, from where, how much. */
import type { Kysely } from 'kysely'
import type { ReportsConfig } from '../../config/schema.ts'
import { AppError } from '../../protocol/errors.ts'
import type { ApprovalsClient } from '../../protocol/oa-approval.ts'
import type { ReportContext } from '../../protocol/report.ts'
import type { Database } from '../../store/schema.ts'
import { dateText, periodOf } from '../period.ts'
import type { Table } from '../table.ts'
import type { Workshop } from '../workshop.ts'
import { readCompanyApprovals } from './company-approvals.ts'
import { readTableFile } from './file.ts'
import { type JsonFetch, readJson } from './json.ts'
import { createMysqlReader } from './mysql.ts'
import { bindPlaceholders } from './placeholders.ts'
import { assertPlainQuery, type SqlDialect } from './plain-query.ts'
import { createPostgresReader } from './postgres.ts'
import { readRuns, readToolCalls, readWaiting } from './service.ts'
import type { ReadLimits, SourceRequest, SqlReader } from './source.ts'
import { createSqliteReader } from './sqlite.ts'

type SourceConfig = ReportsConfig['sources'][string]
/** Who may read a source, as the configuration says it. */
export type Allow = SourceConfig['allow']
export type ReadContext = Pick<ReportContext, 'at' | 'timezone' | 'address' | 'requester' | 'signal'>

export interface ReaderDeps {
  readonly config: Pick<ReportsConfig, 'sources' | 'rows' | 'megabytes' | 'seconds'>
  readonly db: Kysely<Database>
  readonly workshop: Workshop
  /** Reaches public addresses and those the operator allowed. */
  readonly fetch: JsonFetch
  /** Whether a person, or the chat where the report is shown, may see what is allowed to `allow`. */
  readonly mayRead: (allow: Allow, ctx: Pick<ReadContext, 'requester' | 'address'>) => boolean
  /** Clients of company approvals whose forms this person may see, all of them. */
  readonly companyApprovals: (ctx: Pick<ReadContext, 'requester' | 'address'>) => readonly ApprovalsClient[]
}

export interface SourceReader {
  /**
   * Undefined when nothing of this kind is connected (company approvals without an approval app).
   *
   * @param allow what a saved report says instead of its source.
   */
  read(request: SourceRequest, ctx: ReadContext, allow: Allow | undefined): Promise<Table | undefined>
  /** The source of this name and kind; rejects with the names that there are. */
  source<T extends SourceConfig['type']>(
    name: string,
    types: readonly T[],
  ): Extract<SourceConfig, { type: T }>
}

export const DIALECTS: Readonly<Record<'postgres' | 'mysql' | 'sqlite', SqlDialect>> = {
  postgres: 'postgresql',
  mysql: 'mysql',
  sqlite: 'sqlite',
}

/**
 * Reading rejects when the asker may not, when the source is unknown, or when time is over; what goes beyond
 * rows or bytes is cut, and the table says so.
 */
export function createSourceReader(deps: ReaderDeps): SourceReader {
  const { rows, megabytes, seconds } = deps.config
  const limits: ReadLimits = { rows, bytes: megabytes * 1_048_576, timeoutMs: seconds * 1_000 }
  const source = sourceFinder(deps.config.sources)
  const guarded = (name: string, own: Allow, ctx: ReadContext, allow: Allow | undefined): void => {
    if (!deps.mayRead(allow ?? own, ctx)) throw notAllowed(name)
  }
  return {
    source,
    read: async (request, ctx, allow) => {
      switch (request.type) {
        case 'sql': {
          const config = source(request.source, ['postgres', 'mysql', 'sqlite'])
          guarded(request.source, config.allow, ctx, allow)
          return readSql(request, config, limits, ctx)
        }
        case 'file': {
          const config = source(request.source, ['csv', 'xlsx'])
          guarded(request.source, config.allow, ctx, allow)
          const format =
            config.type === 'csv'
              ? ({ type: 'csv', encoding: config.encoding } as const)
              : ({ type: 'xlsx', sheet: request.sheet ?? config.sheet } as const)
          const file = { name: request.source, path: dated(config.path, ctx), format }
          return readTableFile(file, limits, deps.workshop, ctx.signal)
        }
        case 'json': {
          const config = source(request.source, ['json'])
          guarded(request.source, config.allow, ctx, allow)
          const { headers, rows: way } = config
          const wanted = { name: request.source, url: dated(config.url, ctx), headers, rows: way }
          return readJson(wanted, limits, deps.fetch, ctx.signal)
        }
        case 'company_approvals': {
          const clients = deps.companyApprovals(ctx)
          return clients.length === 0
            ? undefined
            : readCompanyApprovals(clients, request.span, limits, ctx.signal)
        }
        case 'service':
          return readService(deps, request, ctx, limits)
      }
    },
  }
}

async function readSql(
  request: Extract<SourceRequest, { type: 'sql' }>,
  config: Extract<SourceConfig, { type: 'postgres' | 'mysql' | 'sqlite' }>,
  limits: ReadLimits,
  ctx: ReadContext,
): Promise<Table> {
  const mark = config.type === 'postgres' ? (position: number) => `$${position}` : () => '?'
  const query = request.query.trim().replace(/;\s*$/, '')
  const bound = bindPlaceholders(query, request.values, mark)
  assertPlainQuery(bound.query, DIALECTS[config.type])
  const { timezone, at, signal } = ctx
  return sqlReader(request.source, config).read({ ...bound, limits, timezone, at, signal })
}

function sqlReader(
  name: string,
  config: Extract<SourceConfig, { type: 'postgres' | 'mysql' | 'sqlite' }>,
): SqlReader {
  if (config.type === 'postgres') return createPostgresReader(name, config.url)
  if (config.type === 'mysql') return createMysqlReader(name, config.url)
  return createSqliteReader(name, config.path)
}

/** Administrators see the whole service, everybody else the chat in which the report is shown. */
function readService(
  deps: ReaderDeps,
  request: Extract<SourceRequest, { type: 'service' }>,
  ctx: ReadContext,
  limits: ReadLimits,
): Promise<Table> {
  const { botId, chatId } = ctx.address
  const chat = deps.mayRead('admins', ctx) ? undefined : { botId, chatId }
  switch (request.of) {
    case 'runs':
      return readRuns(deps.db, request.span, chat, limits)
    case 'tool_calls':
      return readToolCalls(deps.db, request.span, chat, limits)
    case 'approvals_waiting':
      return readWaiting(deps.db, ctx.at, chat, limits)
  }
}

function sourceFinder(sources: Readonly<Record<string, SourceConfig>>): SourceReader['source'] {
  return (name, types) => {
    const found = Object.hasOwn(sources, name) ? sources[name] : undefined
    if (found !== undefined && isOneOf(found, types)) return found
    const names = Object.entries(sources).flatMap(([each, config]) => (isOneOf(config, types) ? [each] : []))
    throw new AppError('report.unknown_source', `no source ${name} of type ${types.join(', ')}`, {
      hint: `Sources of this kind: ${names.join(', ') || 'none; add one under reports.sources'}.`,
      params: { source: name, names: names.join('、') || '—' },
    })
  }
}

function isOneOf<T extends SourceConfig['type']>(
  config: SourceConfig,
  types: readonly T[],
): config is Extract<SourceConfig, { type: T }> {
  return types.some((type) => type === config.type)
}

/** `{date}`, `{yesterday}` and `{month}` in paths and addresses. */
function dated(text: string, { at, timezone }: ReadContext): string {
  const date = dateText(at, timezone)
  const yesterday = dateText(periodOf('yesterday', at, timezone).now.from, timezone)
  return text
    .replaceAll('{date}', date)
    .replaceAll('{yesterday}', yesterday)
    .replaceAll('{month}', date.slice(0, 7))
}

function notAllowed(name: string): AppError {
  return new AppError('report.not_allowed', `${name} may not be read for this person or chat`, {
    hint: 'An operator names people and chats in "allow" of the source or the saved report.',
    params: { source: name },
  })
}
