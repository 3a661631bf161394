import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/protocol/errors.ts'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import { createInput, type Input } from '../../../src/session/input.ts'
import { prepareFolders } from '../../../src/session/workspace.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'
import { messageEvent } from '../gateway/stage.ts'

const session = 'ops/oc_1/'
let store: Awaited<ReturnType<typeof openTestStore>>
let adapter: RecordingAdapter
let input: Input
let clock: ManualClock
let rows = 0

beforeEach(async () => {
  store = await openTestStore()
  adapter = createRecordingAdapter()
  clock = createManualClock()
  input = build()
})
afterEach(() => store.close())

function build(): Input {
  return createInput({
    ...{ store, clock, random: createSeededRandom(), dataDir: store.dataDir },
    ...{ adapter: () => adapter, logger: createCollectingLogger(), maxFileBytes: 1_000 },
    text: () => (key, params) => `${key} ${Object.values(params ?? {}).join(' ')}`.trim(),
  })
}

const rowOf = (event: MessageEvent) => ({ id: ++rows, session_id: session, payload: JSON.stringify(event) })
const file = { kind: 'file', name: '../../周报.txt', handle: { key: 'f1' } } as const
const delivers = async (path: string) => {
  writeFileSync(path, '内容', { flag: 'wx' })
  return { name: '', bytes: 6 }
}

describe('createInput', () => {
  it('F10: puts a file under its own harmless name into a folder of its own', async () => {
    adapter.onDownload = delivers
    const message = await input.read(rowOf(messageEvent({ attachments: [file, file] })))
    const { workspace } = prepareFolders(store.dataDir, session)
    expect(message.files.map(({ name }) => name)).toEqual(['_.._周报.txt', '_.._周报.txt'])
    for (const { path } of message.files) expect(readFileSync(join(workspace, path), 'utf8')).toBe('内容')
    expect(new Set(message.files.map(({ path }) => path)).size).toBe(2)
  })

  it('R38: a file that cannot be fetched is a note; the message is read all the same', async () => {
    adapter.onDownload = async (path) => {
      writeFileSync(path, 'half')
      throw new AppError('feishu.expired', 'the file has expired')
    }
    const message = await input.read(rowOf(messageEvent({ text: '看这个', attachments: [file] })))
    expect(message).toMatchObject({
      text: '看这个',
      files: [],
      notes: ['gateway.file_failed _.._周报.txt the file has expired'],
    })
    expect(readdirSync(join(prepareFolders(store.dataDir, session).workspace, 'inbox'))).toEqual([])
  })

  it('R38: begins a file anew that broke off, up to three times', async () => {
    let tries = 0
    adapter.onDownload = async (path) => {
      if (++tries === 3) return delivers(path)
      writeFileSync(path, 'half', { flag: 'wx' })
      throw new AppError('feishu.unreachable', 'the download broke off', { retryable: true })
    }
    const reading = input.read(rowOf(messageEvent({ attachments: [file] })))
    await clock.advance(10_000)
    expect(await reading).toMatchObject({ notes: [], files: [{ name: '_.._周报.txt' }] })
    expect(tries).toBe(3)
  })

  it('R38: fetches a file once, also after a restart', async () => {
    let downloads = 0
    adapter.onDownload = (path) => {
      downloads++
      return delivers(path)
    }
    const event = messageEvent({ attachments: [file] })
    const row = rowOf(event)
    input.prefetch(row)
    const first = await input.read(row)
    input = build()
    expect((await input.read(rowOf(event))).files).toEqual(first.files)
    expect(downloads).toBe(1)
    expect(
      existsSync(join(prepareFolders(store.dataDir, session).workspace, first.files[0]?.path ?? '')),
    ).toBe(true)
  })

  it('takes the name that a platform tells only with the bytes, cleaned', async () => {
    adapter.onDownload = async (path) => ({ ...(await delivers(path)), name: 'a/b.pdf' })
    const message = await input.read(rowOf(messageEvent({ attachments: [{ kind: 'file', handle: {} }] })))
    expect(message.files).toMatchObject([{ name: 'a_b.pdf' }])
  })

  it('keeps what others wrote apart from what the sender typed', async () => {
    adapter.hydrated = {
      ...adapter.hydrated,
      context: [{ kind: 'forward', from: '李四', text: '转发的话' }],
      notes: [{ key: 'note.partial' }],
    }
    const message = await input.read(rowOf(messageEvent({ text: '总结', quoted: { text: '引用的话' } })))
    expect(message).toMatchObject({
      text: '总结',
      context: [
        { kind: 'quote', text: '引用的话' },
        { kind: 'forward', from: '李四', text: '转发的话' },
      ],
      notes: ['note.partial'],
    })
  })
})
