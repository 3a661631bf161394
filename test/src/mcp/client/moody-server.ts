/**
 * An MCP server with moods, for tests: it reads `mood.json` in the folder it is given whenever it is
 * asked something, so that a test changes its behaviour while it runs.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Mood {
  readonly description?: string
  readonly tools?: readonly string[]
  readonly mode?:
    | 'hang-hello'
    | 'slow-hello'
    | 'die-at-start'
    | 'die-in-call'
    | 'hang'
    | 'garbage'
    | 'huge'
    | 'endless'
    | 'flood'
    | 'many'
    | 'late'
    | 'noisy'
    | 'twice'
}

const folder = process.argv[2] ?? '.'
const mood = (): Mood => JSON.parse(readFileSync(join(folder, 'mood.json'), 'utf8')) as Mood
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const say = (id: unknown, result: object): void => send({ id, result })

appendFileSync(join(folder, 'starts'), 'x')
if (mood().mode === 'die-at-start') {
  process.stderr.write('moody: no token configured\n')
  process.exit(3)
}

const tool = (name: string) => ({
  name,
  description: mood().description ?? 'Says hello.',
  inputSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
  annotations: { readOnlyHint: true, destructiveHint: false },
})

function call(id: unknown, name: string): void {
  const text = (words: string) => ({ content: [{ type: 'text', text: words }] })
  appendFileSync(join(folder, 'calls'), 'x')
  switch (mood().mode) {
    case 'die-in-call':
      process.exit(1)
      break
    case 'hang':
      break
    case 'garbage':
      process.stdout.write('not json\n'.repeat(100))
      break
    case 'huge':
      say(id, text('x'.repeat(50 * 1_048_576)))
      break
    case 'endless':
      process.stdout.write('y'.repeat(64 * 1_048_576))
      process.stdout.write('\n')
      break
    case 'flood':
      for (let i = 0; i < 20_000; i++)
        send({ method: 'notifications/message', params: { level: 'info', data: i } })
      break
    case 'many':
      say(id, { content: Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'a' })) })
      break
    case 'noisy':
      for (let i = 0; i < 400; i++) process.stderr.write('z'.repeat(131_072))
      say(id, text('after the noise'))
      break
    case 'late':
      setTimeout(() => say(id, text('late')), 300)
      break
    case 'twice':
      say(id, text('first'))
      say(id, text('second'))
      say(999_999, text('nobody asked'))
      break
    default:
      say(id, text(`hello from ${name}`))
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number
    method: string
    params?: { name?: string }
  }
  if (method === 'initialize') {
    if (mood().mode === 'hang-hello') return
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'moody', version: '1' },
    }
    setTimeout(() => say(id, hello), mood().mode === 'slow-hello' ? 1_000 : 0)
  } else if (method === 'tools/list') say(id, { tools: (mood().tools ?? ['greet']).map(tool) })
  else if (method === 'tools/call') call(id, params?.name ?? '')
  else if (method === 'notifications/cancelled') appendFileSync(join(folder, 'cancelled'), 'x')
  else if (method === 'ping' && mood().mode !== 'hang') say(id, {})
})

setInterval(() => {
  try {
    readFileSync(join(folder, 'announce'))
    send({ method: 'notifications/tools/list_changed' })
  } catch {
    // Nothing to announce.
  }
}, 100).unref()
