import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionKey } from '../../../src/protocol/address.ts'
import type { LogEntry, StoredEntry } from '../../../src/protocol/session-log.ts'
import { createConversations } from '../../../src/session/conversations.ts'
import { appendEntry } from '../../../src/store/repositories/session-log.ts'
import { acquireLease, ensureSession } from '../../../src/store/repositories/sessions.ts'
import { openTestStore } from '../../support/store.ts'
import { group } from '../gateway/stage.ts'

const session = sessionKey(group)
let store: Awaited<ReturnType<typeof openTestStore>>
let fence: number

beforeEach(async () => {
  store = await openTestStore()
  await ensureSession(store.db, group, 1)
  fence = (await acquireLease(store.db, session, 'w1', 1, 60_000))?.fence ?? 0
})
afterEach(() => store.close())

const write = (entry: LogEntry, epoch = 0): Promise<StoredEntry> =>
  appendEntry(store.db, { sessionId: session, epoch, runId: 'r1', fence }, entry, 1)
const note = (text: string): LogEntry => ({ type: 'note', text })
const wordsOf = (entries: readonly StoredEntry[]): string[] =>
  entries.map(({ entry }) => (entry.type === 'note' || entry.type === 'summary' ? entry.text : entry.type))

describe('conversations that are kept', () => {
  it('are read once, and then only what was written since, whoever wrote it', async () => {
    const conversations = createConversations()
    await write(note('one'))
    const first = await conversations.read(store.db, session, 0)
    await write(note('two'))
    const second = await conversations.read(store.db, session, 0)
    expect(wordsOf(second)).toEqual(['one', 'two'])
    expect(second[0]).toBe(first[0])
  })

  it('begin anew with a new epoch', async () => {
    const conversations = createConversations()
    await write(note('old'))
    await conversations.read(store.db, session, 0)
    await write(note('new'), 1)
    expect(wordsOf(await conversations.read(store.db, session, 1))).toEqual(['new'])
  })

  it('let go of what a summary replaced', async () => {
    const conversations = createConversations()
    const { seq } = await write(note('one'))
    await write(note('two'))
    await conversations.read(store.db, session, 0)
    await write({ type: 'summary', text: 'all of it', after: seq })
    expect(wordsOf(await conversations.read(store.db, session, 0))).toEqual(['two', 'all of it'])
    await write(note('three'))
    expect(wordsOf(await conversations.read(store.db, session, 0))).toEqual(['two', 'all of it', 'three'])
  })

  it('are bounded: the longest unused goes first, one that is too large is not kept', async () => {
    const conversations = createConversations(1_000)
    const stored = await write(note('from the log'))
    conversations.keep('a', 0, [stored])
    conversations.keep('b', 0, [stored])
    conversations.keep('c', 0, [stored])
    conversations.keep('d', 0, [stored])
    // Nothing of these sessions is in the log: what is still there was kept.
    const kept = async (id: string): Promise<number> => (await conversations.read(store.db, id, 0)).length
    expect([await kept('d'), await kept('a')]).toEqual([1, 0])
    conversations.keep('e', 0, [{ ...stored, entry: note('x'.repeat(2_000)) }])
    expect(await kept('e')).toBe(0)
  })
})
