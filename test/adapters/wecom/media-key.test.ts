import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWecomAdapter } from '../../../adapters/wecom/adapter.ts'
import { mediaKeys } from '../../../adapters/wecom/media-key.ts'
import { directChat } from '../../../adapters/wecom/simulator/control.ts'
import type { Attachment } from '../../../src/protocol/inbound.ts'
import { until } from './house.ts'
import { AES_KEY, TOKEN } from './simulator/fixture.ts'
import { testConfig, testDeps } from './twins.ts'
import { URL_BOT, type UrlHouse, urlHouses } from './url-house.ts'

const start = urlHouses()
const NEXT = { token: 'nextToken', encodingAesKey: `${AES_KEY.slice(1)}A` }

/** WeCom still uses the old secrets, and we already know the new ones. */
async function rotate(house: UrlHouse, until?: number): Promise<void> {
  const previous = { token: TOKEN, encodingAesKey: AES_KEY, ...(until !== undefined && { until }) }
  await house.adapter.stop()
  house.adapter = createWecomAdapter(
    testConfig({
      aibot: { ...NEXT, previous, botId: URL_BOT },
      trustedHosts: [new URL(house.sim.url).hostname],
    }),
    testDeps(house.sim.clock),
  )
  await house.adapter.start(async (event) => {
    house.events.push(event)
    return {}
  })
}

async function fileOf(house: UrlHouse, bytes: Buffer): Promise<Attachment> {
  const chat = directChat(URL_BOT, 'zhangsan')
  await house.sim.control.people.send({ chat, from: 'zhangsan', type: 'file', name: 'a.bin', bytes })
  await until(() => house.events.some((event) => event.type === 'message'))
  const event = house.events.findLast((one) => one.type === 'message')
  const [attachment] = event?.type === 'message' ? event.attachments : []
  if (!attachment) throw new Error('no attachment')
  return attachment
}

describe('W16: a file that comes while the keys of a callback are rotated', () => {
  const bytes = Buffer.alloc(50_001, '内容')
  const download = async (house: UrlHouse, attachment: Attachment): Promise<Buffer> => {
    const path = join(await mkdtemp(join(tmpdir(), 'yizhan-media-')), 'in')
    await house.adapter.download(attachment, path, 1_000_000, AbortSignal.timeout(10_000))
    return readFile(path)
  }

  it('is opened with the key that its message came with, and no key is kept with the message', async () => {
    const house = await start()
    await rotate(house)
    const attachment = await fileOf(house, bytes)
    expect(JSON.stringify(attachment)).not.toContain(AES_KEY)
    expect(await download(house, attachment)).toEqual(bytes)
  })

  it('is opened with the other one when the first does not fit', async () => {
    const house = await start()
    await rotate(house)
    const { handle, ...attachment } = await fileOf(house, bytes)
    const { key: _mark, ...unmarked } = handle
    expect(await download(house, { ...attachment, handle: unmarked })).toEqual(bytes)
  })

  it('that neither opens is refused', async () => {
    const house = await start()
    await rotate(house)
    const attachment = await fileOf(house, bytes)
    house.sim.control.faults.add({ name: 'media', effect: 'corrupt' })
    house.sim.control.faults.add({ name: 'media', effect: 'corrupt' })
    await expect(download(house, attachment)).rejects.toMatchObject({ code: 'wecom.media_corrupt' })
  })

  it('that came after the old key ended is tried with the new one only', () => {
    const previous = { token: TOKEN, encodingAesKey: AES_KEY, until: 1_000 }
    const keys = (at: number, mark = {}): readonly string[] =>
      mediaKeys({ url: 'x', at: String(at), ...mark }, { ...NEXT, previous })
    expect(keys(999)).toEqual([NEXT.encodingAesKey, AES_KEY])
    expect(keys(999, { key: 'previous' })).toEqual([AES_KEY, NEXT.encodingAesKey])
    expect(keys(1_000)).toEqual([NEXT.encodingAesKey])
    expect(keys(0, { aeskey: 'k' })).toEqual(['k'])
  })
})
