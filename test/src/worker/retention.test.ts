import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { takeLease } from '../../../src/session/lease.ts'
import { prepareFolders } from '../../../src/session/workspace.ts'
import { setChatState } from '../../../src/store/repositories/chats.ts'
import {
  ensureNamedSession,
  ensureSession,
  setSessionClosed,
} from '../../../src/store/repositories/sessions.ts'
import { wipeGoneChats } from '../../../src/worker/retention.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { openTestStore } from '../../support/store.ts'

const DAY_MS = 86_400_000
const group = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
let store: Awaited<ReturnType<typeof openTestStore>>
let clock: ManualClock
let wiped: string[]

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  wiped = []
})
afterEach(() => store.close())

/** A session with a file; returns the file's path. */
function withFile(sessionId: string): string {
  const file = join(prepareFolders(store.dataDir, sessionId).workspace, 'salaries.csv')
  writeFileSync(file, 'secret')
  return file
}

async function goneChat(): Promise<string> {
  const { id } = await ensureSession(store.db, group, clock.now())
  await setSessionClosed(store.db, id, 'bot_removed')
  await setChatState(store.db, group.botId, group.chatId, 'removed', clock.now())
  return withFile(id)
}

async function wipe(keep: number | 'never' = 30 * DAY_MS): Promise<void> {
  const onWiped = async (id: string): Promise<void> => void wiped.push(id)
  await wipeGoneChats({
    store,
    clock,
    owner: 'this',
    onWiped,
    keep,
    logger: createCollectingLogger(),
    dataDir: store.dataDir,
  })
}

describe('T3: the files of a chat that is gone', () => {
  it('are kept for the set time, then wiped once, on the record', async () => {
    const file = await goneChat()
    await clock.advance(30 * DAY_MS - 1)
    await wipe()
    expect(existsSync(file)).toBe(true)
    await clock.advance(1)
    await wipe()
    await wipe()
    expect(existsSync(join(file, '..'))).toBe(false)
    expect(wiped).toEqual(['ops/oc_1/'])
  })

  it('are kept for ever where the operator says so', async () => {
    const file = await goneChat()
    await clock.advance(1_000 * DAY_MS)
    await wipe('never')
    expect(existsSync(file)).toBe(true)
  })

  it('are kept when the bot is back', async () => {
    const file = await goneChat()
    await clock.advance(29 * DAY_MS)
    await setChatState(store.db, group.botId, group.chatId, 'present', clock.now())
    await setSessionClosed(store.db, 'ops/oc_1/', null)
    await clock.advance(60 * DAY_MS)
    await wipe()
    expect(existsSync(file)).toBe(true)
  })

  it('are kept when somebody has spoken since, although nobody said that the bot is back', async () => {
    const file = await goneChat()
    const topic = await ensureSession(store.db, { ...group, threadId: 'omt_1' }, clock.now())
    await setSessionClosed(store.db, topic.id, 'bot_removed')
    await setSessionClosed(store.db, topic.id, null)
    await clock.advance(90 * DAY_MS)
    await wipe()
    expect(existsSync(file)).toBe(true)
  })

  it('are kept while somebody works there', async () => {
    const file = await goneChat()
    await clock.advance(90 * DAY_MS)
    const lease = await takeLease(
      { store, owner: 'other', clock, logger: createCollectingLogger() },
      'ops/oc_1/',
    )
    await wipe()
    expect(existsSync(file)).toBe(true)
    await lease?.release()
    await wipe()
    expect(existsSync(file)).toBe(false)
  })

  it('T1: a task that has ended takes nothing of another chat or of a remote caller along', async () => {
    await goneChat()
    const owners = ['ops/oc_2/', 'remote:laptop']
    const files = owners.map(withFile)
    for (const owner of owners) {
      const task = `task:t1:${encodeURIComponent(owner)}`
      await ensureNamedSession(store.db, task, group, clock.now())
      await setSessionClosed(store.db, task, 'bot_removed')
    }
    await clock.advance(90 * DAY_MS)
    await wipe()
    expect(files.map((file) => existsSync(file))).toEqual([true, true])
  })

  it('T1: no other chat’s, and not those of a remote caller whose calls were decided there', async () => {
    await goneChat()
    const other = await ensureSession(store.db, { ...group, chatId: 'oc_2' }, clock.now())
    await setSessionClosed(store.db, other.id, 'feishu.bot_not_in_chat')
    await ensureNamedSession(store.db, 'remote:laptop', group, clock.now())
    await setSessionClosed(store.db, 'remote:laptop', 'bot_removed')
    const files = [withFile(other.id), withFile('remote:laptop')]
    await clock.advance(90 * DAY_MS)
    await wipe()
    expect(files.map((file) => existsSync(file))).toEqual([true, true])
  })
})
