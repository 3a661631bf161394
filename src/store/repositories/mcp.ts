/** Tools of other servers as they were agreed to, and what logins at them left. */
import type { McpToolRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** What was agreed to of one server, by tool name; empty for a server that was never seen. */
export function pinnedTools(db: Db, server: string): Promise<McpToolRow[]> {
  return db.selectFrom('mcp_tools').selectAll().where('server', '=', server).orderBy('tool').execute()
}

/** Agrees to a tool at first sight. A tool that is known already stays as it is. */
export async function pinTool(
  db: Db,
  tool: Pick<McpToolRow, 'server' | 'tool' | 'digest' | 'definition'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('mcp_tools')
    .values({ ...tool, offered_digest: null, offered: null, approved_by: null, updated_at: now })
    .onConflict((oc) => oc.columns(['server', 'tool']).doNothing())
    .execute()
}

/** Notes what a server says now; null when it says again what was agreed to. */
export async function offerTool(
  db: Db,
  key: Pick<McpToolRow, 'server' | 'tool'>,
  offered: { readonly digest: string; readonly definition: string } | null,
  now: number,
): Promise<void> {
  const values = {
    offered_digest: offered?.digest ?? null,
    offered: offered?.definition ?? null,
    updated_at: now,
  }
  await db
    .insertInto('mcp_tools')
    .values({ ...key, digest: '', definition: '', approved_by: null, ...values })
    .onConflict((oc) => oc.columns(['server', 'tool']).doUpdateSet(values))
    .execute()
}

/**
 * Agrees to what a server offers, as far as it is exactly what somebody has read (tool → digest);
 * returns the names of the tools it changed.
 */
export async function approveTools(
  db: Db,
  server: string,
  read: ReadonlyMap<string, string>,
  by: string,
  now: number,
): Promise<string[]> {
  const rows = (await pinnedTools(db, server)).filter(
    (row) => row.offered !== null && row.offered_digest === read.get(row.tool),
  )
  for (const row of rows) {
    await db
      .updateTable('mcp_tools')
      .set({
        digest: row.offered_digest ?? '',
        definition: row.offered ?? '',
        offered_digest: null,
        offered: null,
        approved_by: by,
        updated_at: now,
      })
      .where('server', '=', server)
      .where('tool', '=', row.tool)
      .where('offered_digest', '=', row.offered_digest)
      .execute()
  }
  return rows.map((row) => row.tool)
}

/** What a login left at exactly this address; undefined when there was none. */
export async function loadLogin(db: Db, server: string, url: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('mcp_logins')
    .select('data')
    .where('server', '=', server)
    .where('url', '=', url)
    .executeTakeFirst()
  return row?.data
}

/** Replaces what an earlier login left; `data` is JSON with secrets and must not be logged. */
export async function saveLogin(
  db: Db,
  server: string,
  url: string,
  data: string,
  now: number,
): Promise<void> {
  const values = { url, data, updated_at: now }
  await db
    .insertInto('mcp_logins')
    .values({ server, ...values })
    .onConflict((oc) => oc.column('server').doUpdateSet(values))
    .execute()
}
