/**
 * The service that runs with this configuration, if there is one, asked over its own port: only it
 * knows whether its bots are connected, and a second connection would push the first one out.
 */
import { createServer } from 'node:net'
import { z } from 'zod'
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Translate } from '../../protocol/ports.ts'

const ANSWER_MS = 6_000

const readySchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
})

/** One finding for the port; one for each part of a running service. */
export async function checkService({ host, port }: Config['server'], text: Translate): Promise<Diagnosis[]> {
  if (port === 0) return [{ check: 'port', ok: true, detail: text('doctor.port.any') }]
  const problem = await tryPort(host, port)
  if (problem === undefined) return [{ check: 'port', ok: true, detail: text('doctor.port.free', { port }) }]
  if (problem === 'EADDRINUSE') {
    const running = await askService(host, port, text)
    if (running) return running
    return [
      {
        check: 'port',
        ok: false,
        detail: text('error.http.port_in_use', { host, port }),
        fix: text('error.http.port_in_use.hint', { host, port }),
      },
    ]
  }
  return [
    {
      check: 'port',
      ok: false,
      detail: text('error.http.address_unavailable', { host: `${host}:${port}`, reason: problem }),
      fix: text('error.http.address_unavailable.hint'),
    },
  ]
}

async function askService(host: string, port: number, text: Translate): Promise<Diagnosis[] | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}`
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    .then((response) => response.json())
    .catch(() => undefined)
  const parsed = readySchema.safeParse(answer)
  if (!parsed.success) return undefined
  return [
    { check: 'port', ok: true, detail: text('doctor.port.running', { url }) },
    ...parsed.data.checks.map(({ check, ok, detail }) => ({
      check: `running:${check}`,
      ok,
      detail: ok ? text('doctor.running.well') : detail,
      fix: remedyOf(check, text),
    })),
  ]
}

/** Where to read on: bots have findings of their own further down, other parts only the log. */
function remedyOf(check: string, text: Translate): string {
  const [kind, botId] = check.split(':')
  if (kind === 'bot' && botId !== undefined) return text('doctor.running.fix', { part: `${botId}:` })
  return text('doctor.running.log')
}

/** Undefined when the port is free; otherwise the system's error code. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
