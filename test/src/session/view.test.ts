import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Adapter } from '../../../src/protocol/adapter.ts'
import type { UserKey } from '../../../src/protocol/address.ts'
import type { Attachment, MessageEvent } from '../../../src/protocol/inbound.ts'
import { createInput } from '../../../src/session/input.ts'
import { openView, type Recollect, type WritableView } from '../../../src/session/view.ts'
import { insertInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { acquireLease, ensureSession } from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { png } from '../../support/pictures.ts'
import { createSeededRandom } from '../../support/random.ts'
import { openTestStore } from '../../support/store.ts'

const address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
const picture = png(20, 10)

let store: Store & { dataDir: string }
let messages = 0
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

/** An adapter that only downloads: every attachment is the picture. */
const adapter = {
  download: async (_attachment: Attachment, path: string) => {
    writeFileSync(path, picture)
    return { name: 'x.png', bytes: picture.length }
  },
} as unknown as Adapter

async function open(recollect?: Recollect, waited?: { from: number; to: number }): Promise<WritableView> {
  const clock = createManualClock()
  const session = await ensureSession(store.db, address, 1)
  const lease = await acquireLease(store.db, session.id, 'w', clock.now(), 60_000)
  const input = createInput({
    ...{ store, clock, random: createSeededRandom('view'), logger: createCollectingLogger() },
    ...{ adapter: () => adapter, dataDir: store.dataDir, maxFileBytes: 1_000_000 },
    text: () => createTranslate('zh-CN'),
  })
  return openView({
    ...{ store, input, clock, address, workspace: '/w', requester: 'feishu:ou_1', maySteer: () => true },
    writer: { sessionId: session.id, epoch: 0, runId: 'r1', fence: lease?.fence ?? 0 },
    ...(recollect ? { recollect } : {}),
    ...(waited ? { waited: async () => waited } : {}),
  })
}

async function say(
  text: string,
  user: UserKey = 'feishu:ou_1',
  attachments: Attachment[] = [],
  receivedAt = 1,
): Promise<void> {
  const messageId = `om_${++messages}`
  const event: MessageEvent = {
    ...{ type: 'message', address, messageId, text, attachments, sentAt: 0, replyTo: messageId },
    sender: { user, name: '张三', isBot: false, isExternal: false },
    ...{ mentions: [], mentionsBot: true, mentionsAll: false },
  }
  await insertInbox(store.db, [
    {
      ...{ dedupe: messageId, sessionId: 'ops/oc_1/', botId: 'ops', kind: 'message', state: 'waiting' },
      ...{ payload: JSON.stringify(event), receivedAt },
    },
  ])
}

const types = (view: WritableView): string[] => view.entries().map(({ entry }) => entry.type)

describe('memory at the start of a conversation', () => {
  const recollect: Recollect = async (user, shown) => {
    const blocks = [
      { name: 'project_context', content: '二期', tainted: false },
      { name: 'user_profile', user, content: `likes of ${user}`, tainted: false },
    ].filter((block) => !shown.has('user' in block ? `${block.name} ${block.user}` : block.name))
    return blocks.length === 0 ? undefined : { type: 'memory', blocks }
  }

  it('comes before the first message, once; a new person adds only the own profile', async () => {
    const view = await open(recollect)
    await say('one')
    const taken = await view.takeInput()
    expect(taken?.entry.type).toBe('user')
    await say('two')
    await view.takeInput()
    expect(types(view)).toEqual(['memory', 'user', 'user'])
    await say('three', 'feishu:ou_2')
    await view.takeInput()
    expect(types(view)).toEqual(['memory', 'user', 'user', 'memory', 'user'])
    const last = view.entries()[3]?.entry
    expect(last?.type === 'memory' && last.blocks.map((block) => block.user)).toEqual(['feishu:ou_2'])
  })

  it('comes again after a summary replaced it', async () => {
    const view = await open(recollect)
    await say('one')
    const first = await view.takeInput()
    await view.append({ type: 'summary', text: 'so far', after: first?.seq ?? 0 })
    await say('two')
    await view.takeInput()
    expect(types(view)).toEqual(['memory', 'user', 'summary', 'memory', 'user'])
  })

  it('leaves a conversation without memory as it is', async () => {
    const view = await open(async () => undefined)
    await say('one')
    await view.takeInput()
    expect(types(view)).toEqual(['user'])
  })
})

describe('a picture that somebody sends', () => {
  it('is in the log with its bytes, beside its path', async () => {
    const view = await open()
    await say('看', 'feishu:ou_1', [{ kind: 'image', handle: {} }])
    const stored = await view.takeInput()
    const [file] = stored?.entry.type === 'user' ? (stored.entry.messages[0]?.files ?? []) : []
    expect(file).toMatchObject({
      ...{ kind: 'image', bytes: picture.length },
      image: { mime: 'image/png', base64: picture.toString('base64') },
    })
    expect(file?.path).toMatch(/^inbox\//)
  })
})

describe('whose words are in a run', () => {
  const [anna, ben]: UserKey[] = ['feishu:ou_1', 'feishu:ou_2']

  it('everybody whose message it took, after a summary and in the hands of another worker too', async () => {
    const view = await open()
    await say('one')
    await view.takeInput()
    expect(view.people()).toEqual([anna])
    await say('two', ben)
    const last = await view.takeInput()
    expect(view.people()).toEqual([anna, ben])
    await view.append({ type: 'summary', text: 'so far', after: last?.seq ?? 0 })
    expect(view.people()).toEqual([anna, ben])
    await store.db.updateTable('sessions').set({ lease_owner: null }).execute()
    expect((await open()).people()).toEqual([anna, ben])
  })

  it('not those of earlier runs of the conversation', async () => {
    const view = await open()
    await say('one', ben)
    await view.takeInput()
    await store.db.updateTable('session_log').set({ run_id: 'r0' }).execute()
    await store.db.updateTable('sessions').set({ lease_owner: null }).execute()
    expect((await open()).people()).toEqual([anna])
  })
})

it('R22: what was said before the run asked or after the decision joins it; what was said in between waits', async () => {
  await say('不要动生产环境', 'feishu:ou_1', [], 5)
  await say('顺便看看天气', 'feishu:ou_1', [], 10)
  await say('继续', 'feishu:ou_1', [], 60)
  const view = await open(undefined, { from: 10, to: 60 })

  await view.takeInput()

  expect(JSON.stringify(view.entries())).toMatch(/不要动生产环境.*继续/)
  expect((await waitingMessages(store.db, 'ops/oc_1/')).map((row) => row.payload)).toEqual([
    expect.stringContaining('顺便看看天气'),
  ])
})
