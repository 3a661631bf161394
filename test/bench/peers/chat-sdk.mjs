/** The chat SDK with its adapter for Lark and state in memory: every mention calls the handler. */
import { createServer } from 'node:http'
import { createMemoryState } from '@chat-adapter/state-memory'
import axios from 'axios'
import { Chat } from 'chat'
import { createLarkAdapter } from 'chat-adapter-lark'

const [encryptKey, verificationToken, appId, appSecret, platformUrl] = process.argv.slice(2)
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
// The adapter's calls go to the simulator, and answer like the vendor's client: the body alone.
const httpInstance = axios.create()
httpInstance.interceptors.request.use((config) => ({
  ...config,
  url: config.url.replace(/^https:\/\/open\.(feishu\.cn|larksuite\.com)/, platformUrl),
}))
httpInstance.interceptors.response.use((response) => response.data)
const settings = { appId, appSecret, encryptKey, verificationToken, httpInstance }
const lark = createLarkAdapter({ ...settings, userName: '驿站', logger: silent, userInfoResolution: 'never' })
const bot = new Chat({ userName: '驿站', logger: silent, adapters: { lark }, state: createMemoryState() })
let handled = 0
bot.onNewMention(async () => {
  handled++
})
await bot.initialize()

async function answer(request, response) {
  if (request.method === 'GET') return response.end(JSON.stringify({ handled }))
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const given = new Request(`http://127.0.0.1${request.url}`, {
    ...{ method: 'POST', headers: request.headers, body: Buffer.concat(chunks) },
  })
  const answered = await bot.webhooks.lark(given)
  const text = await answered.text()
  response.writeHead(answered.status, {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  })
  response.end(text)
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end())
}).listen(0, '127.0.0.1', () => process.stdout.write(`listens on ${server.address().port}\n`))
