/**
 * The service that runs with this configuration, if there is one, asked over its own port: only it
 * knows whether its bots are connected, and a second connection would push the first one out.
 */
import { createServer } from 'node:net'
import { z } from 'zod'
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Translate } from '../../protocol/ports.ts'

/** Where it would listen, and what a running one is known by. */
type ServiceConfig = Pick<Config, 'server' | 'bots'>

const ANSWER_MS = 6_000

const readySchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
})

/** One finding for the port; one for each part of a running service, if it is the one of this configuration. */
export async function checkService(config: ServiceConfig, text: Translate): Promise<Diagnosis[]> {
  const { host, port } = config.server
  if (port === 0) return [{ check: 'port', ok: true, detail: text('doctor.port.any') }]
  const problem = await tryPort(host, port)
  if (problem === undefined) return [{ check: 'port', ok: true, detail: text('doctor.port.free', { port }) }]
  if (problem === 'EADDRINUSE') {
    const running = await askService(config, text)
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

async function askService(config: ServiceConfig, text: Translate): Promise<Diagnosis[] | undefined> {
  const { host, port } = config.server
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${port}`
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    .then((response) => response.json())
    .catch(() => undefined)
  const { success, data } = readySchema.safeParse(answer)
  if (!success) return undefined
  const written = config.bots.map(({ id }) => id)
  const playground = await servesPlayground(url)
  if (playground && written.length > 0) return [foreign('not_ours', { url }, text)]
  const running = data.checks.flatMap(({ check }) => /^bot:(.*)$/.exec(check)?.[1] ?? [])
  const same = playground || sameIds(running, written)
  const list = (ids: readonly string[]): string => ids.join(', ') || text('doctor.port.no_bots')
  return [
    same
      ? {
          check: 'port',
          ok: true,
          detail: text(playground ? 'doctor.port.playground' : 'doctor.port.running', { url }),
        }
      : foreign('other_bots', { url, running: list(running), written: list(written) }, text),
    ...data.checks.map(({ check, ok, detail }) => ({
      check: `running:${check}`,
      ok,
      detail: ok ? text('doctor.running.well') : detail,
      fix: remedyOf(check, text),
    })),
  ]
}

/** Only the playground sends those who open the bare address on to its page. */
async function servesPlayground(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  return fetch(`${url}/`, { redirect: 'manual', signal })
    .then(({ headers }) => headers.get('location')?.startsWith('/playground/') ?? false)
    .catch(() => false)
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id))
}

/** Something of ours holds the port, but not what this configuration describes. */
function foreign(
  what: 'not_ours' | 'other_bots',
  params: Readonly<Record<string, string>>,
  text: Translate,
): Diagnosis {
  return {
    check: 'port',
    ok: false,
    detail: text(`doctor.port.${what}`, params),
    fix: text(`doctor.port.${what}.fix`),
  }
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
