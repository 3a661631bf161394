/**
 * Compares the approved definitions of a server's tools with what the server offers now. Tools are approved when a
 * server is first seen; later changes and additions need an administrator's approval (M3).
 */
import { createHash } from 'node:crypto'
import { offerTool, pinnedTools, pinTool } from '../../store/repositories/mcp.ts'
import type { McpToolRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Definition, definitionDigest, definitionSchema } from './definition.ts'

/** A tool that may be called, as it was agreed to. */
export interface AgreedTool {
  readonly tool: string
  readonly digest: string
  readonly definition: Definition
}

/** A tool that waits for an administrator: changed, or new on a server that is known. */
export interface Change {
  readonly tool: string
  /** What was agreed to; undefined for a new tool. */
  readonly before: Definition | undefined
  readonly offered: Definition
  /** Digest of what is offered. */
  readonly digest: string
}

export interface Agreement {
  readonly agreed: readonly AgreedTool[]
  readonly changes: readonly Change[]
}

/** As many changes as a person can read at once; the others are agreed to after these. */
const READ_AT_ONCE = 12

/** The first 12: those that a code agrees to, and that are shown with it. */
export function readAtOnce(changes: readonly Change[]): readonly Change[] {
  return changes.slice(0, READ_AT_ONCE)
}

/**
 * Names exactly the changes that are read at once: nobody agrees to what he was not shown or came later.
 * 128 bits, because a server chooses its words: of a short code it could find two offers with the same one.
 */
export function changesCode(changes: readonly Change[]): string {
  const digests = readAtOnce(changes)
    .map(({ digest }) => digest)
    .sort()
  return createHash('sha256').update(digests.join('\n')).digest('hex').slice(0, 32)
}

/** What is agreed to, as far as it was stored: before a server is connected, and while it is not. */
export async function storedAgreement(store: Pick<Store, 'db'>, server: string): Promise<Agreement> {
  return agreementOf(await pinnedTools(store.db, server))
}

/** Compares, stores what is new, and says what holds now. Tools that are not listed do not hold. */
export async function reconcile(
  store: Pick<Store, 'db'>,
  server: string,
  listed: readonly Definition[],
  options: { readonly pinUnknown: boolean; readonly now: number },
): Promise<Agreement> {
  const known = new Map((await pinnedTools(store.db, server)).map((row) => [row.tool, row]))
  for (const definition of listed) {
    const key = { server, tool: definition.name }
    const digest = definitionDigest(definition)
    const text = JSON.stringify(definition)
    const row = known.get(definition.name)
    if (!row && options.pinUnknown) {
      await pinTool(store.db, { ...key, digest, definition: text }, options.now)
    } else if (row?.digest !== digest && row?.offered_digest !== digest) {
      await offerTool(store.db, key, { digest, definition: text }, options.now)
    } else if (row?.digest === digest && row.offered_digest !== null) {
      await offerTool(store.db, key, null, options.now)
    }
  }
  const names = new Set(listed.map((definition) => definition.name))
  return agreementOf((await pinnedTools(store.db, server)).filter((row) => names.has(row.tool)))
}

function agreementOf(rows: readonly McpToolRow[]): Agreement {
  return {
    agreed: rows
      .filter((row) => row.offered === null)
      .map((row) => ({
        tool: row.tool,
        digest: row.digest,
        definition: definitionSchema.parse(JSON.parse(row.definition)),
      })),
    changes: rows
      .filter((row) => row.offered !== null)
      .map((row) => ({
        tool: row.tool,
        before: row.digest === '' ? undefined : definitionSchema.parse(JSON.parse(row.definition)),
        offered: definitionSchema.parse(JSON.parse(row.offered ?? '')),
        digest: row.offered_digest ?? '',
      })),
  }
}
