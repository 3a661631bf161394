/**
 * What a message only points at: the quoted parent, a forwarded bundle, people's names. Runs after the
 * acknowledgement. Whatever cannot be fetched becomes a note; nothing here rejects for content.
 */
import type { Hydrated } from '../../../src/protocol/adapter.ts'
import { type UserKey, userKey } from '../../../src/protocol/address.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { Attachment, MessageEvent } from '../../../src/protocol/inbound.ts'
import type { Logger } from '../../../src/protocol/ports.ts'
import type { Api } from '../api/client.ts'
import { getNames } from '../api/directory.ts'
import { getMessage, type StoredMessage } from '../api/message.ts'
import { type Content, readContent } from './content.ts'
import type { InboundContext } from './envelope.ts'
import { readMentions } from './mentions.ts'

/** A bundle may hold hundreds of messages; beyond this the rest is counted in a note. */
const MAX_BUNDLE = 100

type Note = Hydrated['notes'][number]

interface Found {
  readonly context: Hydrated['context'][number][]
  readonly attachments: Attachment[]
  readonly notes: Note[]
}

interface HydrateDeps {
  readonly api: Api
  readonly logger: Logger
  readonly context: () => InboundContext
}

/** Fetches parent, bundle and names of one message. Rejects only when `signal` says stop. */
export async function hydrate(
  deps: HydrateDeps,
  event: MessageEvent,
  signal: AbortSignal,
): Promise<Hydrated> {
  const stored = await Promise.all([
    fetchItems(deps, event.quoted?.messageId, signal),
    fetchItems(deps, event.bundle?.messageId, signal),
  ])
  const [parent, bundle] = stored
  const people = [event.sender.user, ...stored.flatMap((found) => found.items.map(authorOf))]
  const names = await fetchNames(deps, people, signal)
  const quoted = readItems('quote', parent.items, deps.context(), names)
  const forwarded = readItems('forward', bundle.items, deps.context(), names)
  return {
    context: [...quoted.context, ...forwarded.context],
    attachments: [...quoted.attachments, ...forwarded.attachments],
    notes: [...parent.notes, ...bundle.notes, ...quoted.notes, ...forwarded.notes],
    names: Object.fromEntries(names),
  }
}

async function fetchItems(
  deps: HydrateDeps,
  messageId: string | undefined,
  signal: AbortSignal,
): Promise<{ items: StoredMessage[]; notes: Note[] }> {
  if (messageId === undefined) return { items: [], notes: [] }
  try {
    return { items: await getMessage(deps.api, messageId, signal), notes: [] }
  } catch (error) {
    if (signal.aborted) throw error
    deps.logger.warn({ err: error, messageId }, 'feishu message could not be fetched')
    const gone = isAppError(error, 'feishu.target_gone')
    return { items: [], notes: [{ key: gone ? 'feishu.note.gone' : 'feishu.note.not_fetched' }] }
  }
}

/** Item 0 of a bundle is the bundle itself; nested ones carry the id of the bundle they are in. */
function readItems(
  kind: 'quote' | 'forward',
  items: readonly StoredMessage[],
  context: InboundContext,
  names: ReadonlyMap<UserKey, string>,
): Found {
  const found: Found = { context: [], attachments: [], notes: [] }
  const depths = new Map(items.slice(0, 1).map((item) => [item.message_id, 0]))
  let unavailable = 0
  for (const item of items.slice(0, MAX_BUNDLE)) {
    const content = readStored(item, context)
    const depth = item.upper_message_id ? (depths.get(item.upper_message_id) ?? 0) + 1 : 0
    depths.set(item.message_id, depth)
    const inBundle = depth > 0
    if (content.attachments.length > 0 && inBundle) unavailable += content.attachments.length
    if (!inBundle) found.attachments.push(...content.attachments)
    if (content.note) found.notes.push(content.note)
    const text = describe(content)
    if (!text) continue
    const author = authorOf(item)
    const from = names.get(author) ?? author.slice(author.indexOf(':') + 1)
    found.context.push({ kind, from, text: inBundle ? indent(text, depth - 1) : text })
  }
  if (unavailable > 0) {
    found.notes.push({ key: 'feishu.note.forwarded_files', params: { count: String(unavailable) } })
  }
  if (items.length > MAX_BUNDLE) {
    found.notes.push({
      key: 'feishu.note.bundle_cut',
      params: { count: String(items.length - MAX_BUNDLE), shown: String(MAX_BUNDLE) },
    })
  }
  return found
}

function readStored(item: StoredMessage, context: InboundContext): Content {
  if (item.deleted)
    return { text: '', attachments: [], mentionsAll: false, note: { key: 'feishu.note.gone' } }
  const mentions = readMentions(item.mentions ?? [], { ...context, botOpenId: undefined })
  return readContent(item.msg_type, item.body?.content ?? '', item.message_id, mentions)
}

/** Text of a message; of a file its name, so that a reader of the bundle knows that it was there. */
function describe(content: Content): string {
  const files = content.attachments.map((attachment) => `[${attachment.name ?? attachment.kind}]`)
  return [content.text, ...files].filter(Boolean).join('\n')
}

function indent(text: string, depth: number): string {
  return text.replace(/^/gm, '  '.repeat(depth))
}

function authorOf(item: StoredMessage): UserKey {
  return userKey('feishu', item.sender?.id ?? 'unknown')
}

/** Names are a courtesy: without the scope people appear by their id. */
async function fetchNames(
  deps: HydrateDeps,
  people: readonly UserKey[],
  signal: AbortSignal,
): Promise<Map<UserKey, string>> {
  const ids = [...new Set(people)]
    .filter((person) => person.startsWith('feishu:ou_'))
    .map((person) => person.slice('feishu:'.length))
  try {
    const names = await getNames(deps.api, ids, signal)
    return new Map([...names].map(([id, name]): [UserKey, string] => [userKey('feishu', id), name]))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    deps.logger.debug({ err: error }, 'feishu names could not be fetched')
    return new Map()
  }
}
