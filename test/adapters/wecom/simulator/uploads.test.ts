import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyBytes, unseal } from '../../../../adapters/wecom/simulator/cipher.ts'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import { BOT, type Fixture, GROUP, PNG, type RawClient, startCorp, subscribed } from './fixture.ts'

const CHUNK = 512 * 1024
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

describe('media of an AI bot', () => {
  let sim: Fixture
  let client: RawClient

  const init = (fields: object) =>
    client.call('aibot_upload_media_init', { type: 'file', filename: 'a.bin', total_chunks: 1, ...fields })
  const chunk = (id: string, index: number, bytes: Uint8Array) =>
    client.call('aibot_upload_media_chunk', {
      upload_id: id,
      chunk_index: index,
      base64_data: Buffer.from(bytes).toString('base64'),
    })
  const finish = (id: string) => client.call('aibot_upload_media_finish', { upload_id: id })
  const inboundFile = async (): Promise<{ url: string; aeskey: string }> => {
    const chat = directChat(BOT, 'zhangsan')
    await sim.control.people.send({
      chat,
      from: 'zhangsan',
      type: 'file',
      name: '报销单 7月.xlsx',
      bytes: PNG,
    })
    return (await client.next()).body.file
  }

  beforeEach(async () => {
    sim = await startCorp()
    client = await subscribed(sim)
  })
  afterEach(() => sim.stop())

  it('wecom 21: refuses 4 bytes, 101 chunks, an unknown type, a long name and an oversized image', async () => {
    expect((await init({ total_size: 4 })).errcode).toBe(40006)
    expect((await init({ total_size: 100, total_chunks: 101 })).errcode).not.toBe(0)
    expect((await init({ total_size: 100, type: 'music' })).errcode).toBe(40004)
    expect((await init({ total_size: 100, filename: '长'.repeat(86) })).errcode).not.toBe(0)
    const image = { type: 'image', filename: 'a.png', total_size: 2 * 1024 * 1024 + 1, total_chunks: 5 }
    expect((await init(image)).errcode).toBe(45001)
    sim.control.settings.imageUploadMax = 10 * 1024 * 1024
    expect((await init(image)).errcode).toBe(0)
  })

  it('wecom 21, 22: chunks out of order and repeated give the same bytes under the original name', async () => {
    const bytes = Buffer.alloc(CHUNK * 2 + 77, '报表')
    const { body } = await init({
      filename: '7月报销明细.xlsx',
      total_size: bytes.length,
      total_chunks: 3,
      md5: md5(bytes),
    })
    const id = body.upload_id
    expect((await chunk(id, 2, bytes.subarray(CHUNK * 2))).errcode).toBe(0)
    expect((await chunk(id, 0, bytes.subarray(0, CHUNK))).errcode).toBe(0)
    expect((await chunk(id, 0, bytes.subarray(0, CHUNK))).errcode).toBe(0)
    expect((await finish(id)).errcode).not.toBe(0)
    expect((await chunk(id, 3, Buffer.from('beyond'))).errcode).not.toBe(0)
    expect((await chunk(id, 1, bytes.subarray(CHUNK, CHUNK * 2))).errcode).toBe(0)
    const done = await finish(id)
    expect(done.body).toMatchObject({ type: 'file', created_at: expect.stringMatching(/^\d+$/) })
    await sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      at: { bot: BOT },
      type: 'text',
      text: '要文件',
    })
    const reqId = (await client.next()).headers.req_id
    const file = { msgtype: 'file', file: { media_id: done.body.media_id } }
    expect((await client.call('aibot_respond_msg', file, reqId)).errcode).toBe(0)
    const shown = sim.control.transcript(GROUP).at(-1)?.content
    expect(shown).toMatchObject({ type: 'file', file: { name: '7月报销明细.xlsx' } })
    expect(shown?.type === 'file' && Buffer.from(shown.file.bytes).equals(bytes)).toBe(true)
    await sim.clock.advance(3 * 86_400_000 + 1)
    const push = { chatid: GROUP, chat_type: 2, ...file }
    expect((await client.call('aibot_send_msg', push)).errcode).toBe(40007)
  })

  it('wecom 21: a wrong md5, a wrong size and a chunk over 512 KB are refused', async () => {
    const bytes = Buffer.from('hello world')
    const wrong = (await init({ total_size: bytes.length, md5: md5(Buffer.from('other')) })).body.upload_id
    await chunk(wrong, 0, bytes)
    expect((await finish(wrong)).errcode).not.toBe(0)
    const short = (await init({ total_size: 99 })).body.upload_id
    await chunk(short, 0, bytes)
    expect((await finish(short)).errcode).toBe(40006)
    const big = (await init({ total_size: CHUNK + 1 })).body.upload_id
    expect((await chunk(big, 0, Buffer.alloc(CHUNK + 1))).errcode).toBe(45001)
  })

  it('refuses an image that is no image, and a session after 30 minutes', async () => {
    const bytes = Buffer.from('not an image at all')
    const fake = (await init({ type: 'image', filename: 'a.png', total_size: bytes.length })).body.upload_id
    await chunk(fake, 0, bytes)
    expect((await finish(fake)).errcode).toBe(40005)
    const old = (await init({ total_size: 9 })).body.upload_id
    await sim.clock.advance(30 * 60_000 + 1)
    expect((await chunk(old, 0, Buffer.from('ninebytes'))).errcode).not.toBe(0)
  })

  it('counts 30 uploads a minute by init, not by chunk', async () => {
    for (let i = 0; i < 30; i++) expect((await init({ total_size: 10 })).errcode).toBe(0)
    expect((await init({ total_size: 10 })).errcode).toBe(846607)
  })

  it('wecom 23: an inbound file decrypts with its key, with and without "=", for five minutes', async () => {
    const seen = new Set<boolean>()
    for (let i = 0; i < 8; i++) {
      const { url, aeskey } = await inboundFile()
      seen.add(aeskey.endsWith('='))
      const response = await fetch(url, { headers: { connection: 'close' } })
      expect(response.headers.get('content-disposition')).toContain(
        `filename*=UTF-8''${encodeURIComponent('报销单 7月.xlsx')}`,
      )
      const plain = unseal(Buffer.from(await response.arrayBuffer()), keyBytes(aeskey))
      expect(plain.equals(PNG)).toBe(true)
    }
    expect(seen).toEqual(new Set([true, false]))
    const { url } = await inboundFile()
    await sim.clock.advance(300_001)
    expect((await fetch(url, { headers: { connection: 'close' } })).status).toBe(403)
  })

  it('wecom 23: the media host can deliver a blob with broken padding', async () => {
    const { url, aeskey } = await inboundFile()
    sim.control.faults.add({ name: 'media', effect: 'corrupt' })
    const response = await fetch(url, { headers: { connection: 'close' } })
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(() => unseal(bytes, keyBytes(aeskey))).toThrow('padding')
  })
})
