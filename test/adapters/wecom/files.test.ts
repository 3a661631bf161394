import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dispositionName } from '../../../adapters/wecom/media.ts'
import type { OutboundFile, SentMessage } from '../../../src/protocol/outbound.ts'
import { DIRECT_CHAT, type House, passing, startHouse } from './house.ts'
import { GROUP, PNG } from './simulator/fixture.ts'
import { options } from './twins.ts'

describe('files', () => {
  let house: House
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wecom-'))
    house = await startHouse()
  })
  afterEach(async () => {
    await house.stop()
    await rm(folder, { recursive: true })
  })

  const fileOf = async (
    name: string,
    content: Buffer,
    kind: OutboundFile['kind'] = 'file',
  ): Promise<OutboundFile> => {
    const path = join(folder, createHash('md5').update(name).digest('hex'))
    await writeFile(path, content)
    return {
      path,
      name,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      kind,
    }
  }
  const newest = (chat = GROUP) => house.said(chat).at(-1)?.content

  it('wecom 22: a file arrives in the same chat under its Chinese name with identical bytes', async () => {
    const event = await house.ask('报表')
    const content = Buffer.alloc(1_300_000, '报表')
    const file = await fileOf('7月报销明细（终稿）.xlsx', content)

    await house.adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f1'))

    expect(newest()).toMatchObject({ type: 'file', file: { name: '7月报销明细（终稿）.xlsx' } })
    const arrived = newest()
    const bytes = arrived?.type === 'file' ? arrived.file.bytes : new Uint8Array()
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
  })

  it('wecom 21: a chunk acknowledged after 7 s does not fail the upload', async () => {
    const event = await house.ask('报表')
    const file = await fileOf('a.bin', Buffer.alloc(600_000, 1))
    house.sim.control.faults.add({ name: 'aibot_upload_media_chunk', effect: 'delay', ms: 7_000 })

    await passing(
      house.sim,
      house.adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f1')),
    )

    expect(newest()).toMatchObject({ type: 'file' })
  })

  it('wecom 24: a lost answer to the upload is retried, a lost answer to the message is not', async () => {
    const event = await house.ask('报表')
    const file = await fileOf('a.bin', Buffer.alloc(1_000, 1))
    const message = { type: 'file' as const, file, replyTo: event.replyTo }
    house.sim.control.faults.add({ name: 'aibot_upload_media_finish', effect: 'drop' })

    await expect(
      passing(house.sim, house.adapter.send(event.address, message, options('f1'))),
    ).rejects.toMatchObject({
      code: 'wecom.upload_interrupted',
      retryable: true,
    })
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'drop' })
    await expect(
      passing(house.sim, house.adapter.send(event.address, message, options('f1'))),
    ).rejects.toMatchObject({
      code: 'wecom.outcome_unknown',
    })
    expect(house.said()).toHaveLength(1)
  })

  it('goes on with what an interrupted try uploaded', async () => {
    const event = await house.ask('报表')
    const file = await fileOf('a.bin', Buffer.alloc(1_000, 1))
    const message = { type: 'file' as const, file, replyTo: event.replyTo }
    let prepared: SentMessage['handle'] | undefined
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: -1 })
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared = handle
    }
    await expect(
      house.adapter.send(event.address, message, options('f1', { onPrepared })),
    ).rejects.toMatchObject({ retryable: true })

    await house.adapter.send(event.address, message, options('f1', prepared ? { prepared } : {}))

    const inits = house.sim.control.journal().filter((entry) => entry.name === 'aibot_upload_media_init')
    expect(inits).toHaveLength(1)
    expect(newest()).toMatchObject({ type: 'file' })
  })

  it('X5: too small, too large and changed files are refused before a byte is uploaded', async () => {
    const event = await house.ask('报表')
    const send = (file: OutboundFile) =>
      house.adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f1'))
    const small = await fileOf('s.txt', Buffer.from('12345'))
    const large = { ...small, bytes: 20 * 1024 * 1024 + 1 }
    const changed = { ...(await fileOf('c.txt', Buffer.from('123456789'))), sha256: '0' }

    await expect(send(small)).rejects.toMatchObject({ code: 'wecom.file_too_small' })
    await expect(send(large)).rejects.toMatchObject({
      code: 'wecom.file_too_large',
      hint: expect.stringContaining('20 MB'),
    })
    await expect(send(changed)).rejects.toMatchObject({ code: 'wecom.file_changed' })
    expect(house.sim.control.journal().some((entry) => entry.name.includes('upload'))).toBe(false)
  })

  it('an image goes as an image, one over the limit as a file', async () => {
    const event = await house.ask('图')
    const send = async (file: OutboundFile) =>
      house.adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f1'))

    await send(await fileOf('a.png', PNG, 'image'))
    expect(newest()).toMatchObject({ type: 'image' })
    await send(await fileOf('b.png', Buffer.alloc(2 * 1024 * 1024 + 1, 1), 'image'))
    expect(newest()).toMatchObject({ type: 'file', file: { name: 'b.png' } })
  })

  describe('wecom 23: what people send', () => {
    const receive = async (bytes: Buffer, name = '报销单 7月.xlsx') => {
      await house.sim.control.people.send({ chat: DIRECT_CHAT, from: 'zhangsan', type: 'file', name, bytes })
      const [attachment] = (await house.next('message')).attachments
      if (attachment === undefined) throw new Error('no attachment')
      return attachment
    }
    const fetchTo = (attachment: Awaited<ReturnType<typeof receive>>, maxBytes = 1_000_000) =>
      house.adapter.download(attachment, join(folder, 'in'), maxBytes, AbortSignal.timeout(10_000))

    it('is decrypted into a private file, with its own name told', async () => {
      const bytes = Buffer.alloc(100_001, '内容')

      expect(await fetchTo(await receive(bytes))).toEqual({ name: '报销单 7月.xlsx', bytes: 100_001 })
      expect(await readFile(join(folder, 'in'))).toEqual(bytes)
      expect((await stat(join(folder, 'in'))).mode & 0o777).toBe(0o600)
    })

    it('decrypts also with a key that lacks its equals sign', async () => {
      const attachment = await receive(Buffer.from('hello wecom media\n'))
      const handle = { ...attachment.handle, aeskey: attachment.handle.aeskey?.replace(/=+$/, '') ?? '' }

      expect(await fetchTo({ ...attachment, handle })).toMatchObject({ bytes: 18 })
    })

    it('fails cleanly after five minutes', async () => {
      const attachment = await receive(Buffer.alloc(100, 1))
      await house.sim.clock.advance(301_000)

      await expect(fetchTo(attachment)).rejects.toMatchObject({ code: 'wecom.media_expired' })
      await expect(stat(join(folder, 'in'))).rejects.toMatchObject({ code: 'ENOENT' })
    })

    it('refuses bad padding and leaves nothing behind', async () => {
      const attachment = await receive(Buffer.alloc(100, 1))
      house.sim.control.faults.add({ name: 'media', effect: 'corrupt' })

      await expect(fetchTo(attachment)).rejects.toMatchObject({ code: 'wecom.media_corrupt' })
      await expect(stat(join(folder, 'in'))).rejects.toMatchObject({ code: 'ENOENT' })
    })

    it('R38: goes on where it broke off', async () => {
      const bytes = Buffer.alloc(100_001, '内容')
      const attachment = await receive(bytes)
      house.sim.control.faults.add({ name: 'media', effect: 'cut', times: 2 })

      const got = fetchTo(attachment)
      await vi.waitFor(async () => {
        await house.sim.clock.advance(1_000)
        expect(house.sim.control.journal().filter(({ name }) => name === 'media')).toHaveLength(3)
      })
      expect(await got).toMatchObject({ bytes: 100_001 })
      expect(await readFile(join(folder, 'in'))).toEqual(bytes)
    })

    it('F10: stops at the limit while streaming', async () => {
      const attachment = await receive(Buffer.alloc(100_000, 1))

      await expect(fetchTo(attachment, 50_000)).rejects.toMatchObject({ code: 'wecom.media_too_large' })
      await expect(stat(join(folder, 'in'))).rejects.toMatchObject({ code: 'ENOENT' })
    })

    it('follows addresses of the platform only', async () => {
      const attachment = await receive(Buffer.alloc(100, 1))
      for (const url of [
        'http://169.254.169.254/latest',
        'https://evil.example/x',
        'file:///etc/passwd',
        'http://a.qq.com/x',
      ]) {
        await expect(fetchTo({ ...attachment, handle: { ...attachment.handle, url } })).rejects.toMatchObject(
          {
            code: 'wecom.host_refused',
          },
        )
      }
    })
  })

  it('F10: a name from Content-Disposition is only a name', () => {
    expect(dispositionName(`attachment; filename*=UTF-8''%E6%8A%A5%E8%A1%A8.xlsx`)).toBe('报表.xlsx')
    expect(dispositionName('attachment; filename="../../etc/passwd"')).toBe('passwd')
    expect(dispositionName('attachment; filename="..\\\\a%2F..%2Fb.txt"')).toBe('b.txt')
    expect(dispositionName(null)).toBeUndefined()
  })
})
