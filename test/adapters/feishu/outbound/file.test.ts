import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { headerName } from '../../../../adapters/feishu/inbound/download.ts'
import { safeName } from '../../../../adapters/feishu/outbound/name.ts'
import type { OutboundFile, SentMessage } from '../../../../src/protocol/outbound.ts'
import { connectedStage, groupAddress, type Stage, sendOptions } from '../stage.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yizhan-feishu-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function snapshot(name: string, bytes: Uint8Array, kind: OutboundFile['kind']): Promise<OutboundFile> {
  const path = join(folder, `snapshot-${Math.abs(Buffer.from(name).reduce((a, b) => a * 31 + b, 7)) % 1e9}`)
  await writeFile(path, bytes)
  return { path, name, bytes: bytes.byteLength, sha256: '', kind }
}

const send = (stage: Stage, file: OutboundFile, more = {}): Promise<SentMessage> =>
  stage.adapter.send(groupAddress(stage), { type: 'file', file }, sendOptions(more))

const RESOURCE = '/open-apis/im/v1/messages/:message_id/resources/:key'
const silence = new AbortController().signal

describe('files that leave', () => {
  it('feishu 21: a Chinese name with quotes arrives as it is', async () => {
    await using stage = await connectedStage()
    const file = await snapshot('报告 "最终".pdf', Buffer.from('%PDF-1.7'), 'file')
    const { messageId } = await send(stage, file)
    const shown = stage.control.message(messageId)
    expect(shown?.type).toBe('file')
    const stored = stage.control.fileBytes(shown?.fileKeys[0] ?? '')
    expect(stored?.name).toBe('报告 "最终".pdf')
    expect(stored?.bytes.toString()).toBe('%PDF-1.7')
  })

  it.each([
    ['a.mp4', 'video', 'mp4', 'media'],
    ['a.opus', 'audio', 'opus', 'audio'],
    ['a.docx', 'file', 'doc', 'file'],
    ['a.unknown', 'file', 'stream', 'file'],
    ['没有扩展名', 'file', 'stream', 'file'],
  ] as const)('feishu 31: %s goes as %s', async (name, kind, fileType, type) => {
    await using stage = await connectedStage()
    const { messageId } = await send(stage, await snapshot(name, Buffer.from('bytes'), kind))
    expect(stage.control.message(messageId)?.type).toBe(type)
    expect(stage.control.requests('POST /open-apis/im/v1/files')[0]?.body).toMatchObject({
      file_type: fileType,
    })
  })

  it('a picture is shown inline, and one that is none goes as a file', async () => {
    await using stage = await connectedStage()
    const good = await send(stage, await snapshot('图.png', PNG, 'image'))
    expect(stage.control.message(good.messageId)?.type).toBe('image')
    const fake = await send(stage, await snapshot('假.png', Buffer.from('no picture'), 'image'))
    expect(stage.control.message(fake.messageId)?.type).toBe('file')
  })

  it.each([
    [0, 'feishu.file_empty'],
    [30 * 1024 * 1024 + 1, 'feishu.file_over_limit'],
  ])('X5, feishu 31: %i bytes are refused before anything is uploaded', async (bytes, code) => {
    await using stage = await connectedStage()
    const file: OutboundFile = { path: join(folder, 'none'), name: '大.bin', bytes, sha256: '', kind: 'file' }
    await expect(send(stage, file)).rejects.toMatchObject({
      code,
      retryable: false,
      params: { name: '大.bin' },
    })
    expect(stage.control.requests()).toEqual([])
  })

  it('R22: an upload is not repeated after an interrupted try', async () => {
    await using stage = await connectedStage()
    const file = await snapshot('一次.txt', Buffer.from('x'), 'file')
    const prepared: SentMessage['handle'][] = []
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared.push(handle)
    }
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', break: 'drop_after' })
    await expect(send(stage, file, { key: 'file-1', onPrepared })).rejects.toMatchObject({ retryable: true })
    await send(stage, file, { key: 'file-1', prepared: prepared[0], onPrepared })
    expect(stage.control.requests('POST /open-apis/im/v1/files')).toHaveLength(1)
    expect(stage.control.transcript(stage.group).filter((m) => m.type === 'file')).toHaveLength(1)
  })
})

describe('files that come', () => {
  it('feishu 21: keep their name and bytes, and are private to us', async () => {
    await using stage = await connectedStage()
    const direct = stage.control.openDirect(stage.people.li, stage.app.appId)
    stage.control.sendFile(direct, stage.people.li, { name: '报告 "最终".pdf', bytes: Buffer.from('内容') })
    await stage.received(1)
    const [attachment] = stage.message().attachments
    if (!attachment) throw new Error('no attachment')
    const path = join(folder, 'inbound')
    const got = await stage.adapter.download(attachment, path, 1_000, silence)
    expect(got).toEqual({ name: '报告 "最终".pdf', bytes: 6 })
    expect(await readFile(path, 'utf8')).toBe('内容')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await expect(stage.adapter.download(attachment, path, 1_000, silence)).rejects.toThrow()
  })

  it('feishu 19: both pictures of a post come through the message’s resources', async () => {
    await using stage = await connectedStage()
    const img = (bytes: Buffer): { tag: 'img'; file: { name: string; bytes: Buffer } } => ({
      tag: 'img',
      file: { name: 'a.png', bytes },
    })
    stage.control.sayPost(stage.group, stage.people.li, {
      title: '巡检',
      content: [
        [
          { tag: 'at', at: stage.app.appId },
          { tag: 'text', text: ' 看图' },
        ],
        [img(PNG)],
        [img(PNG)],
      ],
    })
    await stage.received(1)
    const event = stage.message()
    expect(event).toMatchObject({ text: '巡检\n看图', mentionsBot: true })
    expect(event.attachments).toHaveLength(2)
    for (const [index, attachment] of event.attachments.entries()) {
      const got = await stage.adapter.download(attachment, join(folder, `post-${index}`), 1_000, silence)
      expect(got.bytes).toBe(PNG.length)
    }
    expect(stage.control.requests().every((request) => !request.route.includes('/images/:'))).toBe(true)
  })

  it('R38, X5: a file above the limit leaves nothing behind', async () => {
    await using stage = await connectedStage()
    const direct = stage.control.openDirect(stage.people.li, stage.app.appId)
    stage.control.sendFile(direct, stage.people.li, { name: '大.bin', bytes: Buffer.alloc(5_000) })
    await stage.received(1)
    const [attachment] = stage.message().attachments
    if (!attachment) throw new Error('no attachment')
    const path = join(folder, 'too-large')
    await expect(stage.adapter.download(attachment, path, 4_999, silence)).rejects.toMatchObject({
      code: 'feishu.file_too_large',
    })
    await expect(stat(path)).rejects.toThrow()
  })

  it('R38: a file that is JSON itself comes unchanged', async () => {
    await using stage = await connectedStage()
    const direct = stage.control.openDirect(stage.people.li, stage.app.appId)
    const bytes = Buffer.from('{"code": 5, "msg": "这是文件"}')
    stage.control.sendFile(direct, stage.people.li, { name: 'data.json', bytes })
    await stage.received(1)
    const [attachment] = stage.message().attachments
    if (!attachment) throw new Error('no attachment')
    const path = join(folder, 'json-file')
    await stage.adapter.download(attachment, path, 1_000, silence)
    expect(await readFile(path)).toEqual(bytes)
  })

  it('R38: a file that breaks off half-way leaves nothing behind, and may be begun anew', async () => {
    await using stage = await connectedStage()
    const direct = stage.control.openDirect(stage.people.li, stage.app.appId)
    const bytes = Buffer.alloc(50_000, '内容')
    stage.control.sendFile(direct, stage.people.li, { name: 'a.bin', bytes })
    await stage.received(1)
    const [attachment] = stage.message().attachments
    if (!attachment) throw new Error('no attachment')
    const path = join(folder, 'cut')
    stage.control.faults.onRequest({ route: `GET ${RESOURCE}`, break: 'cut' })
    const download = () => stage.adapter.download(attachment, path, 100_000, silence)
    // Feishu says nothing of ranges, and the simulator serves none.
    const refused = expect(download()).rejects.toMatchObject({ code: 'feishu.unreachable', retryable: true })
    await vi.waitFor(async () => {
      await stage.clock.advance(1_000)
      expect(stage.control.requests(`GET ${RESOURCE}`)).toHaveLength(2)
    })
    await refused
    await expect(stat(path)).rejects.toThrow()
    await download()
    expect(await readFile(path)).toEqual(bytes)
  })

  it('R38: an error in the place of a file is an error, also with HTTP 200', async () => {
    await using stage = await connectedStage({ settings: { businessErrorStatus: 200 } })
    const messageId = stage.control.say(stage.group, stage.people.li, '@[驿站] 没有文件')
    const attachment = { kind: 'file' as const, handle: { messageId, fileKey: 'file_none', type: 'file' } }
    const path = join(folder, 'error-body')
    await expect(stage.adapter.download(attachment, path, 1_000, silence)).rejects.toMatchObject({
      code: 'feishu.file_unavailable',
    })
    await expect(stat(path)).rejects.toThrow()
  })
})

describe('names', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\x\\报告.docx', '报告.docx'],
    ['..', 'file'],
    ['a\r\nb\u202Efdp.exe', 'abfdp.exe'],
    ['  .bashrc', 'bashrc'],
    ['', 'file'],
  ])('feishu 21: %j becomes %j', (name, expected) => {
    expect(safeName(name)).toBe(expected)
  })

  it('keeps the extension of an endless name', () => {
    const name = safeName(`${'字'.repeat(300)}.pdf`)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240)
    expect(name.endsWith('字.pdf')).toBe(true)
  })

  it.each([
    ['attachment; filename="plain.txt"', 'plain.txt'],
    [`attachment; filename="${Buffer.from('报告.pdf').toString('latin1')}"`, '报告.pdf'],
    [`attachment; filename=${encodeURIComponent('报告.pdf')}`, '报告.pdf'],
    [`attachment; filename="x"; filename*=UTF-8''${encodeURIComponent('报告.pdf')}`, '报告.pdf'],
    ['attachment', undefined],
    ['attachment; filename="100%.txt"', '100%.txt'],
  ])('reads the header %j', (header, expected) => {
    expect(headerName(header)).toBe(expected)
  })
})
