import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const TOKEN = 'a-token-of-some-length'
const OTHER = 'another-token-of-some-length'

let house: FeishuHouse
const clients: Client[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await house?.stop()
})

async function open(wait = '60s'): Promise<void> {
  house = await openFeishuHouse({
    yaml: ({ chatId }) => `
mcp:
  serve:
    wait: ${wait}
    callsPerMinute: 100000
    callers:
      - { name: laptop, token: ${TOKEN}, tools: [workstation, agent], chat: { bot: ops, id: ${chatId} } }
      - { name: reader, token: ${OTHER}, tools: [read_file, run_command] }
`,
  })
}

async function connect(token = TOKEN): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${house.app.listening.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  clients.push(client)
  return client
}

const call = async (client: Client, name: string, args: object, onprogress?: (progress: Progress) => void) =>
  (await client.callTool({ name, arguments: { ...args } }, undefined, {
    timeout: 60_000,
    ...(onprogress ? { onprogress, resetTimeoutOnProgress: true } : {}),
  })) as CallToolResult
const textOf = (result: CallToolResult): string =>
  result.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n')
/** Reads a call's resource until the call has ended. */
async function state(client: Client, uri: string): Promise<string> {
  for (;;) {
    const [content] = (await client.readResource({ uri })).contents
    const text = content && 'text' in content ? String(content.text) : ''
    if (text.includes('"ended"')) return text
  }
}
const card = (what: string) =>
  house.until(
    () => house.answers().find((message) => message.text.includes('待审批') && message.text.includes(what)),
    'the card',
  )
const click = (messageId: string) =>
  house.control.click({ userId: house.people.admin.userId, messageId, on: '允许' })

describe('/mcp for remote clients', () => {
  it('M10, M11: lists exactly the caller’s tools and calls nothing else', async () => {
    await open()
    const laptop = await connect()
    expect((await laptop.listTools()).tools).toHaveLength(22)
    const reader = await connect(OTHER)
    const names = (await reader.listTools()).tools.map((tool) => tool.name)
    expect(names.sort()).toEqual(['read_file', 'run_command'])
    await expect(call(reader, 'write_file', { path: 'x', content: 'y' })).rejects.toMatchObject({
      code: -32_602,
    })
    await expect(call(reader, 'read_file', { path: 1 })).rejects.toMatchObject({ code: -32_602 })
    const written = await call(laptop, 'write_file', { path: 'note.txt', content: '远程写入' })
    expect(written.isError).toBeUndefined()
    expect(textOf(await call(laptop, 'read_file', { path: 'note.txt' }))).toContain('远程写入')
    expect((await call(reader, 'read_file', { path: 'note.txt' })).isError).toBe(true)
  })

  it('M11: prompts for usual jobs, for callers that have the tools; the own calls are listed as resources', async () => {
    await open()
    const [laptop, reader] = [await connect(), await connect(OTHER)]
    const names = (client: Client) =>
      client.listPrompts().then(({ prompts }) => prompts.map(({ name }) => name))
    expect(await names(laptop)).toEqual(['look_around', 'run_and_explain', 'ask_the_agent'])
    expect(await names(reader)).toEqual(['run_and_explain'])
    const { messages } = await laptop.getPrompt({ name: 'ask_the_agent', arguments: { task: '写周报' } })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/run_agent[\s\S]*写周报$/) } },
    ])
    await expect(laptop.getPrompt({ name: 'ask_the_agent' })).rejects.toMatchObject({ code: -32_602 })
    await expect(reader.getPrompt({ name: 'ask_the_agent', arguments: { task: 'x' } })).rejects.toMatchObject(
      { code: -32_602 },
    )
    await call(laptop, 'system_status', {})
    const { resources } = await laptop.listResources()
    expect(resources).toMatchObject([
      { uri: expect.stringMatching(/^yizhan:/), title: 'system_status (ended)' },
    ])
    expect((await reader.listResources()).resources).toEqual([])
    const long = `yizhan://calls/${'x'.repeat(5_000)}`
    await expect(laptop.readResource({ uri: long })).rejects.toMatchObject({ code: -32_602 })
  })

  it('without a chat a call that needs a person is refused with what to do', async () => {
    await open()
    const refused = await call(await connect(OTHER), 'run_command', { command: 'uname -a' })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('mcp.serve.callers')
  })

  it('a call that needs a person sends the card, tells of progress, and runs once after the click', async () => {
    await open()
    const client = await connect()
    const notes: string[] = []
    const result = call(client, 'run_command', { command: 'echo ran >> out.txt; cat out.txt' }, (progress) =>
      notes.push(progress.message ?? ''),
    )
    const asked = await card('echo ran')
    const joined = Promise.withResolvers<void>()
    const again = call(client, 'run_command', { command: 'echo ran >> out.txt; cat out.txt' }, () =>
      joined.resolve(),
    )
    // What is asked again after the click is a new call, and asks a person again.
    await joined.promise
    await click(asked.messageId)
    expect(textOf(await result)).toContain('ran')
    expect(textOf(await again)).toContain('ran')
    expect(notes.some((note) => note.includes('审批'))).toBe(true)
    const file = await call(client, 'read_file', { path: 'out.txt' })
    expect(textOf(file).match(/ran/g)).toHaveLength(1)
    await house.until(
      () => house.answers().find((one) => one.messageId === asked.messageId && one.text.includes('已允许')),
      'the decided card',
    )
  })

  it('nobody answers in time: an id comes back, and the result is read later, by its owner alone', async () => {
    await open('1s')
    const client = await connect()
    const pending = await call(client, 'run_command', { command: 'echo later' })
    const { id, resource } = pending.structuredContent as { id: string; resource: string }
    expect(resource).toBe(`yizhan://calls/${id}`)
    await expect((await connect(OTHER)).readResource({ uri: resource })).rejects.toMatchObject({
      code: -32_602,
    })
    await click((await card('echo later')).messageId)
    expect(await state(client, resource)).toContain('later')
  })

  it('run_agent: the card appears in the chat, the client sees progress, the click lets it finish', async () => {
    await open()
    const client = await connect()
    const told = Promise.withResolvers<string>()
    const result = call(client, 'run_agent', { prompt: '运行 uname -a' }, ({ message = '' }) => {
      if (message.includes('等待审批')) told.resolve(message)
    })
    const asked = await card('uname -a')
    expect(await told.promise).toContain('uname -a')
    await click(asked.messageId)
    expect(textOf(await result)).toContain('Linux')
  })

  it('run_agent: a restart in between loses nothing; the same id finds the result', async () => {
    await open('1s')
    const before = await connect()
    const pending = await call(before, 'run_agent', { prompt: '运行 uname -a', id: 'nightly-1' })
    expect(pending.structuredContent).toMatchObject({ state: 'waiting', id: 'nightly-1' })
    const asked = await card('uname -a')
    await before.close()
    await house.restart()
    await click(asked.messageId)
    const after = await connect()
    const result = await call(after, 'run_agent', { prompt: '运行 uname -a', id: 'nightly-1' }, () => {})
    expect(textOf(result)).toContain('Linux')
    expect(textOf(await call(after, 'agent_result', { id: 'nightly-1' }))).toContain('Linux')
    const foreign = await call(await connect(), 'agent_result', { id: 'nightly-2' })
    expect(foreign.isError).toBe(true)
  })

  it('a call that waits survives a restart: the click runs it, the result is read afterwards', async () => {
    await open('1s')
    const before = await connect()
    const pending = await call(before, 'run_command', { command: 'echo survived' })
    const { resource } = pending.structuredContent as { resource: string }
    const asked = await card('echo survived')
    await before.close()
    await house.restart()
    await click(asked.messageId)
    const after = await connect()
    const result = await call(after, 'run_command', { command: 'echo survived' }).then(() =>
      state(after, resource),
    )
    expect(result).toContain('survived')
  })

  it('200 clients hold sessions in less than 100 MB', async () => {
    await open()
    await connect()
    const before = process.memoryUsage().rss
    for (let i = 0; i < 200; i++) await connect()
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(100)
  }, 90_000)

  it('M10: no token, a wrong one, a foreign origin or host, a session of somebody else: refused', async () => {
    await open()
    const url = `${house.app.listening.url}/mcp`
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }
    const post = (headers: Record<string, string>, target = url) =>
      fetch(target, {
        method: 'POST',
        body: JSON.stringify(hello),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      })
    expect((await post({})).status).toBe(401)
    expect((await post({ authorization: `Bearer ${TOKEN}x` })).status).toBe(401)
    expect((await post({}, `${url}?token=${TOKEN}`)).status).toBe(401)
    expect((await post({ authorization: `Bearer ${TOKEN}`, origin: 'https://evil.example' })).status).toBe(
      403,
    )
    const opened = await post({ authorization: `Bearer ${TOKEN}` })
    const session = opened.headers.get('mcp-session-id') ?? ''
    await opened.text()
    expect(session).not.toBe('')
    const stolen = await post({ authorization: `Bearer ${OTHER}`, 'mcp-session-id': session })
    expect(stolen.status).toBe(404)
  })
})
