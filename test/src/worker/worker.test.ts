import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { prepareFolders } from '../../../src/session/workspace.ts'
import { recentRuns } from '../../../src/store/repositories/runs.ts'
import { readEntries } from '../../../src/store/repositories/session-log.ts'
import { acquireLease, findSession, setSessionClosed } from '../../../src/store/repositories/sessions.ts'
import { breaks, ended, type Run, session, workerStages } from './stage.ts'

const open = workerStages()

describe('handle', () => {
  it('answers what waits, in one run, and leaves the session free', async () => {
    const { adapter, store, work, say } = await open()
    await say('一')
    await say('二')
    await work()
    expect(adapter.messages()).toEqual(['heard: 一, 二'])
    expect(await findSession(store.db, session)).toMatchObject({ lease_owner: null })
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'done' }])
  })

  it('R25: does nothing while another worker holds the session', async () => {
    const { adapter, store, clock, work, say } = await open()
    await say('一')
    await acquireLease(store.db, session, 'w2', clock.now(), 30_000)
    await work()
    expect(adapter.calls).toEqual([])
    clock.jump(30_000)
    await work()
    expect(adapter.messages()).toEqual(['heard: 一'])
  })

  it('a run that ends without reading its message is followed by another', async () => {
    const skips: Run = async function* () {
      yield ended('not now')
    }
    const { adapter, work, say } = await open([
      skips,
      async function* (view) {
        await view.takeInput()
        yield ended('now')
      },
    ])
    await say('一')
    await work()
    expect(adapter.messages()).toEqual(['not now', 'now'])
  })

  it('a fault of the service is said, and is no end of the session', async () => {
    const { adapter, store, script, work, say } = await open([breaks])
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('again')
    })
    await say('一')
    await work()
    expect(adapter.messages()).toEqual(['run.fault', 'again'])
    expect((await recentRuns(store.db, session, 5)).map(({ state }) => state).sort()).toEqual([
      'done',
      'failed',
    ])
  })

  it('T3: in a chat that is gone nothing is answered, and nothing stays open', async () => {
    const { adapter, store, work, say } = await open()
    await say('一')
    await setSessionClosed(store.db, session, 'bot_removed')
    await work()
    expect(adapter.calls).toEqual([])
    expect(await store.db.selectFrom('inbox').select('state').execute()).toEqual([{ state: 'dropped' }])
  })
})

describe('X4: an answer that names files', () => {
  it.each(['MEDIA:/etc/passwd', '![x](file:///etc/passwd)', '<file path="/etc/shadow"/>', '[图](./a.png)'])(
    '%s sends words, never a file',
    async (words) => {
      const names: Run = async function* (view) {
        await view.takeInput()
        yield ended(words)
      }
      const { adapter, work, say } = await open([names])
      await say('一')
      await work()
      expect(adapter.messages()).toEqual([words])
      expect(adapter.calls.filter(({ message }) => message.type === 'file')).toEqual([])
    },
  )
})

describe('R39: the workspace', () => {
  it('that is gone is made anew', async () => {
    const { store, adapter, work, say } = await open()
    await say('一')
    await work()
    rmSync(prepareFolders(store.dataDir, session).workspace, { recursive: true })
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('heard: 二')
  })

  it('that cannot be made is a clear error; the log stays whole and the session goes on later', async () => {
    const { store, adapter, work, worker, say } = await open()
    await say('一')
    await work()
    const { workspace } = prepareFolders(store.dataDir, session)
    const before = await readEntries(store.db, session, 0)
    rmSync(workspace, { recursive: true })
    writeFileSync(workspace, 'in the way')
    await say('二')
    await expect(worker.handle(session)).rejects.toMatchObject({ code: 'session.no_workspace' })
    expect(await readEntries(store.db, session, 0)).toEqual(before)
    rmSync(workspace)
    await work()
    expect(adapter.messages().at(-1)).toBe('heard: 二')
  })
})

describe('what a run leaves behind', () => {
  it('C8: approvals of a run that failed are taken back; those of one that is done were used', async () => {
    const { takenBack, store, script, work, say } = await open([breaks])
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('again')
    })
    await say('一')
    await work()
    const failed = (await recentRuns(store.db, session, 5)).find(({ state }) => state === 'failed')
    expect(takenBack).toEqual([`${session} system ${failed?.id}`])
  })

  it('R42: a message that waited for more than a day is not run; its sender is told', async () => {
    const { adapter, store, clock, work, say } = await open()
    await say('删除 build')
    clock.jump(24 * 3_600_000 + 1)
    await say('你好')
    await work()
    expect(adapter.messages()).toEqual(['gateway.stale', 'heard: 你好'])
    const states = await store.db.selectFrom('inbox').select('state').orderBy('id').execute()
    expect(states.map(({ state }) => state)).toEqual(['dropped', 'taken'])
  })
})

describe('C19: a message of somebody else that joins a run', () => {
  it('stands behind every call from then on, and behind none before', async () => {
    const seen: (readonly string[] | undefined)[] = []
    const works: Run = async function* (view, deps) {
      await view.takeInput()
      seen.push(deps.toolContext('c1').others)
      await stage.say('二', 'feishu:ou_2')
      await view.takeInput()
      seen.push(deps.toolContext('c2').others)
      yield ended('done')
    }
    const stage = await open([works])
    const { work, say } = stage
    await say('一')
    await work()
    expect(seen).toEqual([undefined, ['feishu:ou_2']])
  })
})
