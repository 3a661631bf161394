/**
 * The service that runs with this configuration, if there is one, asked over its own port: only it
 * knows whether its bots are connected, and a second connection would push the first one out.
 */
import { createServer } from 'node:net'
import { z } from 'zod'
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'

const ANSWER_MS = 6_000

const readySchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
})

/** One finding for the port; one for each part of a running service. */
export async function checkService({ host, port }: Config['server']): Promise<Diagnosis[]> {
  if (port === 0) return [{ check: 'port', ok: true, detail: 'any free one (server.port is 0)' }]
  const problem = await tryPort(host, port)
  if (problem === undefined)
    return [{ check: 'port', ok: true, detail: `${port} is free: the service does not run` }]
  if (problem === 'EADDRINUSE') {
    const running = await askService(host, port)
    if (running) return running
    return [
      {
        check: 'port',
        ok: false,
        detail: `port ${port} on ${host} is held by another program`,
        fix: `Set server.port to a free port, or stop that program: ss -ltnp 'sport = :${port}' names it.`,
      },
    ]
  }
  return [
    {
      check: 'port',
      ok: false,
      detail: `cannot listen on ${host}:${port}: ${problem}`,
      fix: 'server.host must be an address of this machine (ip addr lists them), and the port above 1023.',
    },
  ]
}

async function askService(host: string, port: number): Promise<Diagnosis[] | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}`
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    .then((response) => response.json())
    .catch(() => undefined)
  const parsed = readySchema.safeParse(answer)
  if (!parsed.success) return undefined
  return [
    { check: 'port', ok: true, detail: `the service runs on ${url}` },
    ...parsed.data.checks.map(({ check, ok, detail }) => ({
      check: `running:${check}`,
      ok,
      detail: ok ? 'in order' : detail,
      fix: 'The finding of the same part below says what to change; its log says more.',
    })),
  ]
}

/** Undefined when the port is free; otherwise the system's error code. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
