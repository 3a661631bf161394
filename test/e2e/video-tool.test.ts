import { afterEach, describe, expect, it } from 'vitest'
import { type Provider, startProvider } from '../src/video/provider.ts'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const KEY = 'sk-canary-0123456789'
let house: FeishuHouse
let endpoint: Endpoint
let provider: Provider
afterEach(async () => {
  await house?.stop()
  await Promise.all([endpoint.stop(), provider.close()])
})

describe('video_gen in a chat', () => {
  it('answers at once; the file comes into the chat later, over a restart, and the key nowhere', async () => {
    provider = await startProvider()
    endpoint = await startEndpoint('openai', ({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'video_gen', args: { prompt: '白马走过驿站' } }] }
        : { text: [`好：${results[0]}`] },
    )
    house = await openFeishuHouse({
      yaml: `${endpoint.yaml}\nvideo: { enabled: true, apiKey: ${KEY}, baseUrl: "${provider.url}" }`,
    })
    house.ask('做一个白马的视频')
    const card = await house.until(
      () => house.answers().find((message) => message.text.includes('待审批')),
      'the approval card',
      30_000,
    )
    expect(card.text).toContain('生成视频：白马走过驿站')
    await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
    await house.until(
      () => house.answers().find((message) => message.text.includes('is being made')),
      'the answer',
      30_000,
    )
    await house.restart()
    provider.states = [{ status: 'succeeded', content: { video_url: `${provider.url}/files/video.mp4` } }]
    const file = await house.until(
      () => house.answers().find((message) => message.fileKeys.length > 0),
      'the video',
      30_000,
    )
    expect(Buffer.from(house.control.fileBytes(file.fileKeys[0] ?? '')?.bytes ?? []).toString()).toBe(
      'an mp4 file',
    )
    const said = JSON.stringify([house.answers(), house.lines, endpoint.turns])
    expect(said).not.toContain('canary')
  }, 120_000)
})
