import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appChat } from '../../../../adapters/wecom/simulator/control.ts'
import { APP, api, buttonCard, type Fixture, jsonOf, PNG, startCorp, tokenOf } from './fixture.ts'

describe('the API of a self-built app', () => {
  let sim: Fixture
  let token: string
  const chat = appChat(APP.agentId, 'zhangsan')
  const send = (body: object) =>
    api(sim, `message/send?access_token=${token}`, { agentid: APP.agentId, ...body })
  const shown = (key = chat) => sim.control.transcript(key).map((message) => message.content)
  const upload = (form: FormData | string, type = 'file', headers: Record<string, string> = {}) =>
    fetch(`${sim.url}/cgi-bin/media/upload?access_token=${token}&type=${type}`, {
      method: 'POST',
      body: form,
      headers: { connection: 'close', ...headers },
    }).then(jsonOf)
  const formOf = (name: string, bytes: Uint8Array<ArrayBuffer>): FormData => {
    const form = new FormData()
    form.set('media', new File([bytes], name))
    return form
  }

  beforeEach(async () => {
    sim = await startCorp()
    token = await tokenOf(sim)
  })
  afterEach(() => sim.stop())

  it('uploads a file with a Chinese name, sends it, gives it back, and forgets it after three days', async () => {
    const bytes = new Uint8Array(Buffer.from('报销明细,金额\n张三,100\n'))
    const { media_id: mediaId, created_at: at } = await upload(formOf('七月 报销.csv', bytes))
    expect(at).toMatch(/^\d+$/)
    await send({ touser: 'zhangsan', msgtype: 'file', file: { media_id: mediaId } })
    expect(shown()).toMatchObject([{ type: 'file', file: { name: '七月 报销.csv' } }])
    const get = () => fetch(`${sim.url}/cgi-bin/media/get?access_token=${token}&media_id=${mediaId}`)
    expect(Buffer.from(await (await get()).arrayBuffer()).equals(bytes)).toBe(true)
    await sim.clock.advance(3 * 86_400_000 + 1)
    token = await tokenOf(sim)
    expect(await (await get()).json()).toMatchObject({ errcode: 40007 })
  })

  it('refuses five bytes, a fake image, a wrong field, a missing boundary and filename*', async () => {
    expect((await upload(formOf('a.txt', new Uint8Array(5)))).errcode).toBe(40006)
    expect((await upload(formOf('a.png', new Uint8Array(20)), 'image')).errcode).toBe(40005)
    expect((await upload(formOf('a.png', new Uint8Array(PNG)), 'image')).errcode).toBe(0)
    expect((await upload(formOf('a.txt', new Uint8Array(20)), 'sticker')).errcode).toBe(40004)
    const wrong = new FormData()
    wrong.set('file', new File([new Uint8Array(20)], 'a.txt'))
    expect((await upload(wrong)).errcode).toBe(41005)
    expect((await upload('plain', 'file', { 'content-type': 'text/plain' })).errcode).toBe(41005)
    const starred = [
      '--b',
      'Content-Disposition: form-data; name="media"; filename*=UTF-8\'\'%E5%90%8D.txt',
      'Content-Type: application/octet-stream',
      '',
      'enough bytes',
      '--b--',
      '',
    ].join('\r\n')
    expect(
      (await upload(starred, 'file', { 'content-type': 'multipart/form-data; boundary=b' })).errcode,
    ).toBe(41005)
  })

  it('a group robot takes its own media, notice cards only, and images with the right md5', async () => {
    const robot = (body: object) => api(sim, 'webhook/send?key=robot-key', body)
    const response = await fetch(`${sim.url}/cgi-bin/webhook/upload_media?key=robot-key&type=file`, {
      method: 'POST',
      body: formOf('日报.xlsx', new Uint8Array(20)),
    })
    const { media_id: mediaId } = await jsonOf(response)
    expect((await robot({ msgtype: 'file', file: { media_id: mediaId } })).errcode).toBe(0)
    expect((await send({ touser: 'zhangsan', msgtype: 'file', file: { media_id: mediaId } })).errcode).toBe(
      40007,
    )
    expect((await robot({ msgtype: 'template_card', template_card: buttonCard('t1') })).errcode).toBe(40058)
    const image = { base64: PNG.toString('base64'), md5: '00' }
    expect((await robot({ msgtype: 'image', image })).errcode).toBe(40058)
    expect((await robot({ text: { content: 'x' } })).errcode).toBe(40008)
    expect((await robot({ msgtype: 'text', text: { content: 'a'.repeat(2049) } })).errcode).toBe(45002)
  })
})
