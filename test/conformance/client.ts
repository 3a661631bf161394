/**
 * Our MCP client as the conformance suite runs it: `node client.ts <url>`. Everything is the product's
 * own but the person who logs in: he follows the authorization server's redirect by himself.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createDiscovery } from '../../src/mcp/client/discovery.ts'
import { readEntry } from '../../src/mcp/client/entry.ts'
import { createLogins, type Logins } from '../../src/mcp/client/logins.ts'
import { createMcpServers } from '../../src/mcp/client/servers.ts'
import { createWires } from '../../src/mcp/client/wires.ts'
import type { ToolContext } from '../../src/protocol/tool.ts'
import { openStore } from '../../src/store/store.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'

const url = process.argv.at(-1) ?? ''
const contextSchema = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() })
const parsed = contextSchema.safeParse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'))
const registered = parsed.success
  ? { oauth: { clientId: parsed.data.client_id, clientSecret: parsed.data.client_secret } }
  : {}

const clock = createSystemClock()
const random = createSystemRandom()
const logger = createCollectingLogger()
const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-conformance-'))
const store = await openStore({ dataDir, logger })

let person = Promise.resolve()
const known = createLogins({ baseUrl: () => 'http://localhost:8787', clock })
const logins: Logins = {
  ...known,
  // The one address that the suite accepts for a client described by a document.
  clientMetadataUrl: () => 'https://conformance-test.local/client-metadata.json',
  begin: (state, server, page) => {
    known.begin(state, server, page)
    // Where a login does not help, the third one is refused, and that is the end of it.
    person = logIn(page).catch(() => {})
  },
}

async function logIn(page: URL): Promise<void> {
  const answer = await fetch(page, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  const server = known.take(back.searchParams.get('state') ?? page.searchParams.get('state') ?? '') ?? 'suite'
  await servers.link(server)?.settled()
  await servers.link(server)?.finishLogin(back.searchParams.get('code') ?? '')
}

const servers = createMcpServers({
  ...{ store, clock, random, logger },
  discovery: createDiscovery({
    configured: [
      readEntry('suite', { url, ...registered }, { origin: 'suite', network: 'none', variables: undefined }),
    ],
    places: { home: undefined, project: undefined, variables: {} },
    network: 'none',
  }),
  open: createWires({
    ...{ store, clock, random, logins },
    launcher: { spawn: () => Promise.reject(new Error('no program is started here')) },
    places: { homes: dataDir, secret: [], node: process.execPath },
    publicFetch: () => Promise.reject(new Error('nothing but this machine is reached here')),
  }),
  onWithdrawn: () => {},
})

const alive = setInterval(() => {}, 1_000)
await servers.start()
const link = servers.link('suite')
for (let rounds = 0; rounds < 10 && link?.state !== 'ready'; rounds++) {
  await link?.settled()
  await person
}
for (const tool of servers.tools()) {
  const args = { a: 5, b: 3 }
  for (let tries = 0; tries < 4; tries++) {
    const result = await tool.run(args, {} as ToolContext, AbortSignal.timeout(20_000), {
      tool: tool.name,
      args,
    })
    process.stderr.write(`${tool.name}: ${JSON.stringify(result)}\n`)
    if (result.ok || link?.state !== 'login') break
    await person
    await link.settled()
  }
}
process.stderr.write(`${JSON.stringify({ state: link?.state, why: link?.why })}\n`)
process.exitCode = link?.state === 'ready' ? 0 : 1
await servers.stop()
await store.close()
rmSync(dataDir, { recursive: true, force: true })
clearInterval(alive)
