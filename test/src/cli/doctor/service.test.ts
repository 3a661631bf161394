import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkService } from '../../../../src/cli/doctor/service.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createTranslate } from '../../../../src/locale/index.ts'

const text = createTranslate('zh-CN')
let server: Server | undefined

afterEach(() => {
  server?.close()
  server = undefined
})

/** Something that answers as a service with these bots does; the playground sends visitors to its page. */
async function running(bots: readonly string[], playground: boolean): Promise<number> {
  server = createServer((request, response) => {
    if (request.url === '/readyz') {
      const checks = ['store', ...bots.map((id) => `bot:${id}`)].map((check) => ({
        check,
        ok: true,
        detail: '',
      }))
      return void response.end(JSON.stringify({ ready: true, checks }))
    }
    if (playground) return void response.writeHead(302, { location: '/playground/' }).end()
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function configOf(port: number, ids: readonly string[]) {
  const bots = ids.map((id) => ({
    ...{ id, platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 'secret' },
  }))
  return configSchema.parse({ server: { host: '127.0.0.1', port }, bots })
}

describe('what holds the port', () => {
  it('the service of this configuration: it runs, and so do its parts', async () => {
    const port = await running(['oa', 'ops'], false)
    const found = await checkService(configOf(port, ['ops', 'oa']), text)
    expect(found[0]).toEqual({ check: 'port', ok: true, detail: `服务正在 http://127.0.0.1:${port} 上运行` })
    expect(found.map(({ check, ok }) => [check, ok])).toEqual([
      ['port', true],
      ['running:store', true],
      ['running:bot:oa', true],
      ['running:bot:ops', true],
    ])
  })

  it('a playground, where real bots are configured: it says so, and nothing of the playground’s bots', async () => {
    const port = await running(['feishu', 'wecom'], true)
    const found = await checkService(configOf(port, ['ops']), text)
    expect(found).toEqual([
      {
        check: 'port',
        ok: false,
        detail: `http://127.0.0.1:${port} 上运行的是体验场，不是这份配置的服务：它占着端口，服务启动不了`,
        fix: expect.stringContaining('停掉体验场'),
      },
    ])
  })

  it('a playground, where bots happen to have the same names: still a playground', async () => {
    const port = await running(['feishu'], true)
    expect((await checkService(configOf(port, ['feishu']), text))[0]).toMatchObject({ ok: false })
  })

  it('the playground, where nothing is configured: it runs', async () => {
    const port = await running(['feishu', 'wecom'], true)
    const [found] = await checkService(configOf(port, []), text)
    expect(found).toEqual({ check: 'port', ok: true, detail: `体验场正在 http://127.0.0.1:${port} 上运行` })
  })

  it.each([
    [['ops'], ['ops', 'oa'], '机器人 ops，这份配置里是 ops, oa'],
    [['ops'], [], '机器人 ops，这份配置里是 （没有）'],
  ])('a service with %j, configured %j: both are named', async (bots, written, words) => {
    const port = await running(bots, false)
    const [found] = await checkService(configOf(port, written), text)
    expect(found).toMatchObject({ check: 'port', ok: false, fix: expect.stringContaining('重启服务') })
    expect(found?.detail).toContain(words)
  })
})
