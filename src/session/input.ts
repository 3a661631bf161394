/**
 * From acknowledged messages to log entries: fetches what a message only refers to, puts its files
 * into the workspace, and moves it into the log in one transaction. Downloads begin right after the
 * acknowledgement, since some platforms' links live for minutes only.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import type { Adapter, Hydrated } from '../protocol/adapter.ts'
import { isAppError } from '../protocol/errors.ts'
import type { Attachment, MessageEvent } from '../protocol/inbound.ts'
import type { Clock, Logger, Random, Translate } from '../protocol/ports.ts'
import type { LoggedMessage } from '../protocol/session-log.ts'
import { type MediaRow, mediaOf, saveMedia } from '../store/repositories/media.ts'
import type { InboxRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { withPictures } from './pictures.ts'
import { safeName } from './safe-name.ts'
import { createSenderNames, type SenderNames } from './sender-names.ts'
import { prepareFolders } from './workspace.ts'

export interface InputDeps {
  readonly store: Store
  readonly adapter: (botId: string) => Adapter | undefined
  readonly dataDir: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly text: (botId: string) => Translate
  readonly maxFileBytes: number
}

/** Fetching begins early and is awaited late; one message is fetched once. */
export interface Input {
  /** Starts to fetch what the message refers to; the result is kept for {@link Input.read}. */
  prefetch(row: Pick<InboxRow, 'id' | 'session_id' | 'payload'>): void
  /** The message as the log keeps it. Never rejects for content: what is missing becomes a note. */
  read(row: Pick<InboxRow, 'id' | 'session_id' | 'payload'>): Promise<LoggedMessage>
  /** Waits for what is being fetched. */
  drain(): Promise<void>
}

/** All of one message: its quote, its bundle, its files. */
const HYDRATE_MS = 90_000
/** So often a file is begun, this long after the try before it. */
const MOST_TRIES = 3
const AGAIN_MS = 1_000

/** Downloads begin with `prefetch` and are shared with `read`. */
export function createInput(deps: InputDeps): Input {
  const reading = new Map<number, Promise<LoggedMessage>>()
  const names = createSenderNames(deps)

  const read: Input['read'] = (row) => {
    const known = reading.get(row.id)
    if (known) return known
    const work = readMessage(deps, names, row)
    reading.set(row.id, work)
    const forget = (): void => {
      deps.clock.after(HYDRATE_MS, () => reading.delete(row.id))
    }
    work.then(forget, () => reading.delete(row.id))
    return work
  }

  return {
    read,
    prefetch: (row) => {
      read(row).catch((error: unknown) =>
        deps.logger.warn({ inbox: row.id, error }, 'a message could not be prepared yet'),
      )
    },
    drain: async () => {
      await Promise.allSettled(reading.values())
      await names.drain()
    },
  }
}

async function readMessage(
  deps: InputDeps,
  names: SenderNames,
  row: Pick<InboxRow, 'session_id' | 'payload'>,
): Promise<LoggedMessage> {
  const event = JSON.parse(row.payload) as MessageEvent
  const { botId } = event.address
  const adapter = deps.adapter(botId)
  const text = deps.text(botId)
  const signal = AbortSignal.timeout(HYDRATE_MS)
  const known = await names.known(event.sender, adapter)
  const isWhole = !event.quoted && !event.bundle && known !== undefined
  const hydrated = adapter && !isWhole ? await hydrate(deps, adapter, event, signal) : NOTHING
  const attachments = [...event.attachments, ...(event.quoted?.attachments ?? []), ...hydrated.attachments]
  const media = adapter
    ? await fetchAll(deps, adapter, row.session_id, event.messageId, attachments, signal)
    : []
  const own = event.quoted?.text ? [{ kind: 'quote' as const, from: '', text: event.quoted.text }] : []
  const { workspace } = prepareFolders(deps.dataDir, row.session_id)
  const told = event.sender.name ?? hydrated.names[event.sender.user]
  const name = told ?? known ?? ''
  if (told !== undefined || known === undefined) await names.learned(event.sender.user, name)
  return {
    messageId: event.messageId,
    user: event.sender.user,
    name,
    ...(event.others === undefined ? {} : { others: event.others }),
    text: event.text,
    sentAt: event.sentAt,
    replyTo: event.replyTo,
    context: [...own, ...hydrated.context],
    files: await withPictures(workspace, readyFiles(workspace, media)),
    notes: [
      ...(event.note ? [text(event.note.key, event.note.params)] : []),
      ...hydrated.notes.map((note) => text(note.key, note.params)),
      ...media
        .filter((item) => item.state === 'failed')
        .map((item) => text('gateway.file_failed', { name: item.name, reason: item.error ?? '' })),
    ],
  }
}

function readyFiles(workspace: string, media: readonly MediaRow[]): LoggedMessage['files'] {
  return media
    .filter((item) => item.state === 'ready' && item.path !== null)
    .map((item) => ({
      path: relative(workspace, item.path ?? ''),
      name: item.name,
      kind: item.kind as Attachment['kind'],
      bytes: item.bytes,
    }))
}

const NOTHING: Hydrated = { context: [], attachments: [], notes: [], names: {} }

async function hydrate(
  deps: InputDeps,
  adapter: Adapter,
  event: MessageEvent,
  signal: AbortSignal,
): Promise<Hydrated> {
  try {
    return await adapter.hydrate(event, signal)
  } catch (error) {
    deps.logger.warn({ messageId: event.messageId, error }, 'the context of a message could not be fetched')
    return { ...NOTHING, notes: [{ key: 'gateway.context_failed' }] }
  }
}

async function fetchAll(
  deps: InputDeps,
  adapter: Adapter,
  sessionId: string,
  messageId: string,
  attachments: readonly Attachment[],
  signal: AbortSignal,
): Promise<MediaRow[]> {
  if (attachments.length === 0) return []
  const known = await mediaOf(deps.store.db, sessionId, messageId)
  const rows: MediaRow[] = []
  for (const [position, attachment] of attachments.entries()) {
    const before = known.find((row) => row.position === position && row.state === 'ready')
    rows.push(
      before ?? (await fetchOne(deps, adapter, { sessionId, messageId, position, attachment, signal })),
    )
  }
  return rows
}

interface Fetch {
  readonly sessionId: string
  readonly messageId: string
  readonly position: number
  readonly attachment: Attachment
  readonly signal: AbortSignal
}

async function fetchOne(deps: InputDeps, adapter: Adapter, fetch: Fetch): Promise<MediaRow> {
  const id = deps.random.id(8)
  const row: MediaRow = {
    id,
    session_id: fetch.sessionId,
    message_id: fetch.messageId,
    position: fetch.position,
    state: 'failed',
    kind: fetch.attachment.kind,
    name: safeName(fetch.attachment.name, fetch.attachment.kind),
    path: null,
    bytes: 0,
    error: null,
    created_at: deps.clock.now(),
  }
  // A folder per file: two files of one name never meet, and people's names stay as they are.
  const folder = join(prepareFolders(deps.dataDir, fetch.sessionId).workspace, 'inbox', id)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const landing = join(folder, row.name)
    const got = await downloaded(deps, adapter, fetch, landing)
    // Some platforms tell a file's name only with its bytes.
    const told = fetch.attachment.name === undefined && got.name !== ''
    const path = told ? join(folder, safeName(got.name, fetch.attachment.kind)) : landing
    if (path !== landing) renameSync(landing, path)
    const saved: MediaRow = { ...row, state: 'ready', path, bytes: got.bytes, name: basename(path) }
    await saveMedia(deps.store.db, saved)
    return saved
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    deps.logger.warn({ messageId: fetch.messageId, error }, 'a file could not be fetched')
    const failed: MediaRow = { ...row, error: isAppError(error) ? error.message : 'error' }
    await saveMedia(deps.store.db, failed)
    return failed
  }
}

/** What broke off, or a host that is busy, is tried again from the beginning, a few times. */
async function downloaded(
  deps: InputDeps,
  adapter: Adapter,
  { attachment, signal }: Fetch,
  path: string,
): ReturnType<Adapter['download']> {
  for (let tries = 1; ; tries++) {
    try {
      return await adapter.download(attachment, path, deps.maxFileBytes, signal)
    } catch (error) {
      if (!isAppError(error) || !error.retryable || tries >= MOST_TRIES || signal.aborted) throw error
      rmSync(path, { force: true })
      await deps.clock.sleep(AGAIN_MS * tries, signal)
    }
  }
}
