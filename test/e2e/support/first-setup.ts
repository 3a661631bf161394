/** What a first set-up meets: a configuration with a mistake in it, and somebody else at the port. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Company } from './company.ts'
import { configText } from './house.ts'
import { startService } from './service-process.ts'

export interface Stranger {
  readonly port: number
  close(): void
}

/** A program that holds a port and refuses every key. */
export async function openStranger(): Promise<Stranger> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"invalid api key"}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** A configuration of this company in a folder of its own, edited as a newcomer might; resolves to its path. */
export function writeConfig(company: Company, edit: (yaml: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-mistakes-'))
  const file = join(folder, 'yizhan.yaml')
  writeFileSync(file, edit(configText(company, join(folder, 'data'))))
  return file
}

/** What a start says before it gives up. */
export async function startFailure(config: string, env: Record<string, string> = {}): Promise<string> {
  const failure = await startService(config, env).then(
    async (started) => {
      await started.kill('SIGKILL')
      return 'it started'
    },
    (error: unknown) => String(error),
  )
  return failure.replace(/^Error: /, '')
}
