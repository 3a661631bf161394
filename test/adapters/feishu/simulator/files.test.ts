import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sniffImage } from '../../../../adapters/feishu/simulator/image.ts'
import { openStage, type Stage, tokenOf } from './stage.ts'

const mib = 1024 * 1024
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The first bytes of a PNG of any size. */
function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(png)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

describe('uploads and downloads', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
  })
  afterEach(() => stage.close())

  const upload = async (
    kind: 'image' | 'file',
    bytes: Buffer,
    fields: Record<string, string>,
  ): Promise<{ code: number; key: string }> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set(kind, new Blob([new Uint8Array(bytes)]), 'x')
    const answer = await stage.call('POST', `/im/v1/${kind}s`, form)
    return { code: answer.code, key: String(answer.data[`${kind}_key`]) }
  }
  const file = (
    bytes: Buffer,
    file_type = 'stream',
    file_name = 'a.bin',
  ): Promise<{ code: number; key: string }> => upload('file', bytes, { file_type, file_name })
  const image = (bytes: Buffer, image_type = 'message'): Promise<{ code: number; key: string }> =>
    upload('image', bytes, { image_type })
  const get = async (path: string): Promise<{ status: number; code: number; name: string; body: Buffer }> => {
    const authorization = `Bearer ${await tokenOf(stage.sim.url, stage.app)}`
    const response = await fetch(`${stage.sim.url}/open-apis${path}`, { headers: { authorization } })
    const body = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const disposition = Buffer.from(response.headers.get('content-disposition') ?? '', 'latin1').toString(
      'utf8',
    )
    return {
      status: response.status,
      code: isJson ? Number(/"code":(\d+)/.exec(body.toString())?.[1]) : 0,
      name: disposition,
      body,
    }
  }
  const resource = (messageId: string, key: string, type = 'file'): ReturnType<typeof get> =>
    get(`/im/v1/messages/${messageId}/resources/${key}?type=${type}`)

  it('takes an upload of the SDK from a buffer, whose part has no file name', async () => {
    const client = stage.client()
    const made = await client.im.v1.file.create({
      data: { file_type: 'pdf', file_name: '报告 "最终".pdf', file: Buffer.from('%PDF') },
    })
    const key = made?.file_key ?? ''
    expect(stage.control.fileBytes(key)).toEqual({ name: '报告 "最终".pdf', bytes: Buffer.from('%PDF') })
    expect((await stage.send(stage.group, 'file', { file_key: key })).code).toBe(0)
    expect(stage.control.transcript(stage.group)).toMatchObject([
      { text: '报告 "最终".pdf', fileKeys: [key] },
    ])
    stage.control.configure({ uploadWithoutFilename: false })
    await expect(
      client.im.v1.file.create({ data: { file_type: 'pdf', file_name: 'a.pdf', file: Buffer.from('%PDF') } }),
    ).rejects.toMatchObject({ response: { data: { code: 234001 } } })
  })

  it('refuses empty, large and nameless files and unknown types', async () => {
    expect((await file(Buffer.alloc(0))).code).toBe(234010)
    expect((await file(Buffer.alloc(30 * mib))).code).toBe(0)
    expect((await file(Buffer.alloc(30 * mib + 1))).code).toBe(234006)
    expect((await file(Buffer.from('x'), 'zip')).code).toBe(234001)
    expect((await file(Buffer.from('x'), 'stream', '')).code).toBe(234001)
    stage.control.updateApp(stage.app.appId, { bot: false })
    expect((await file(Buffer.from('x'))).code).toBe(234007)
  })

  it('refuses images that are none, too many bytes or too many pixels', async () => {
    expect((await image(png)).code).toBe(0)
    expect((await image(Buffer.from('not an image'))).code).toBe(234011)
    expect((await image(Buffer.alloc(0))).code).toBe(234010)
    expect((await image(Buffer.concat([png, Buffer.alloc(10 * mib)]))).code).toBe(234006)
    expect((await image(pngOf(12_001, 10))).code).toBe(234039)
    expect((await image(png, 'poster')).code).toBe(234001)
  })

  it('knows the formats by their first bytes', () => {
    const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0xd0, 0x07, 0x10, 0x00])])
    const jpeg = Buffer.from([
      0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 20, 0, 30, 3, 0, 0,
    ])
    expect(sniffImage(gif)).toEqual({ format: 'gif', width: 2000, height: 16 })
    expect(sniffImage(jpeg)).toEqual({ format: 'jpeg', width: 30, height: 20 })
    expect(sniffImage(Buffer.from('RIFF\0\0\0\0WEBPVP8 '))?.format).toBe('webp')
    expect(sniffImage(Buffer.from('plain'))).toBeUndefined()
  })

  it('wants the message type that fits the file type', async () => {
    const [video, voice, plain] = [
      await file(Buffer.from('v'), 'mp4', 'a.mp4'),
      await file(Buffer.from('o'), 'opus', 'a.opus'),
      await file(Buffer.from('p')),
    ]
    const send = async (type: string, file_key: string): Promise<number> =>
      (await stage.send(stage.group, type, { file_key })).code
    expect([
      await send('media', video.key),
      await send('audio', voice.key),
      await send('file', plain.key),
    ]).toEqual([0, 0, 0])
    expect([
      await send('file', video.key),
      await send('file', voice.key),
      await send('audio', plain.key),
      await send('media', plain.key),
    ]).toEqual([230055, 230055, 230055, 230055])
  })

  it('gives people’s files through their message, name as raw UTF-8', async () => {
    const messageId = stage.control.sendFile(stage.group, stage.ann, {
      name: '报告.pdf',
      bytes: Buffer.from('data'),
    })
    const [key = ''] = stage.control.message(messageId)?.fileKeys ?? []
    const folder = mkdtempSync(join(tmpdir(), 'sim-'))
    const download = await stage
      .client()
      .im.v1.messageResource.get({ path: { message_id: messageId, file_key: key }, params: { type: 'file' } })
    await download.writeFile(join(folder, 'f'))
    expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('data')
    rmSync(folder, { recursive: true })
    expect(await resource(messageId, key)).toMatchObject({
      status: 200,
      name: 'attachment; filename="报告.pdf"',
    })
    expect((await get(`/im/v1/files/${key}`)).code).toBe(234008)
  })

  it('refuses downloads each by its code', async () => {
    const own = stage.control.sendFile(stage.group, stage.ann, { name: 'a', bytes: Buffer.from('x') })
    const [key = ''] = stage.control.message(own)?.fileKeys ?? []
    const picture = stage.control.sendImage(stage.group, stage.ann, { name: 'a.png', bytes: png })
    const [imageKey = ''] = stage.control.message(picture)?.fileKeys ?? []
    const sticker = stage.control.sendSticker(stage.group, stage.ann)
    const bundle = stage.control.forwardBundle(stage.group, stage.ann, [own])
    const opened = await stage.call('GET', `/im/v1/messages/${bundle}`)
    const child = /"message_id":"(om_[^"]+)"[^}]*"upper/.exec(
      JSON.stringify(opened.data['items']).slice(1).split('},{').at(-1) ?? '',
    )?.[1]
    const childId =
      child ??
      (JSON.stringify(opened.data['items']).match(/om_[0-9a-f]+/g) ?? []).find(
        (id) => id !== bundle && id !== own,
      ) ??
      ''
    expect((await resource(own, key, 'video')).code).toBe(234001)
    expect((await resource(own, key, 'image')).code).toBe(234001)
    expect((await resource(picture, imageKey, 'image')).code).toBe(0)
    expect((await resource(picture, key)).code).toBe(234003)
    expect((await resource(sticker, stage.control.message(sticker)?.fileKeys[0] ?? '')).code).toBe(234043)
    expect((await resource(childId, key)).code).toBe(234043)
    stage.control.updateChat(stage.group, { restricted: true })
    expect((await resource(own, key)).code).toBe(234038)
    stage.control.recall(own, stage.ann)
    expect((await resource(own, key)).code).toBe(230110)
    stage.control.removeBot(stage.group, stage.app.appId)
    expect((await resource(picture, imageKey, 'image')).code).toBe(234004)
  })

  it('keeps keys to the app that made them', async () => {
    const { key } = await file(Buffer.from('x'))
    const other = stage.control.createApp({ name: 'Other' })
    stage.control.addBot(stage.group, other.appId)
    expect((await stage.send(stage.group, 'file', { file_key: key }, {}, other)).code).toBe(230017)
    const theirs = stage.control.sendFile(stage.group, stage.ann, { name: 'a', bytes: Buffer.from('x') })
    expect(
      (await stage.send(stage.group, 'file', { file_key: stage.control.message(theirs)?.fileKeys[0] })).code,
    ).toBe(230017)
    expect((await get(`/im/v1/files/${key}`)).body.toString()).toBe('x')
  })
})
