/**
 * One call of a tool in a process of its own, twice: `node tool-peak.ts FOLDER TOOL ARGUMENTS` prints its
 * milliseconds and by how much the process grew at the most, so that nothing else is counted with it.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { createSandbox } from '../../src/sandbox/index.ts'
import { builtinTools } from '../../src/tools/index.ts'
import { listDirectoryTool } from '../../src/tools/workstation/list-directory.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { callTool, OPEN_SANDBOX, placeAt, timed } from './tool-bench.ts'

const peak = z.object({ ms: z.number(), firstMs: z.number(), grownMb: z.number() })

/** Runs this file as a program. */
export async function measurePeak(
  folder: string,
  tool: string,
  args: object,
): Promise<z.output<typeof peak>> {
  const argv = [fileURLToPath(import.meta.url), folder, tool, JSON.stringify(args)]
  const { stdout } = await promisify(execFile)(process.execPath, argv)
  return peak.parse(JSON.parse(stdout))
}

async function main([folder = '', tool = '', args = '{}']: readonly string[]): Promise<void> {
  const sandbox = await createSandbox(OPEN_SANDBOX, { logger: createCollectingLogger() })
  const place = placeAt(folder, sandbox)
  const tools = [...builtinTools(), listDirectoryTool]
  const call = (): Promise<number> =>
    timed(() =>
      callTool(tools, place.context('peak'), tool, z.record(z.string(), z.unknown()).parse(JSON.parse(args))),
    )
  const before = process.resourceUsage().maxRSS
  const firstMs = await call()
  const ms = Math.min(await call(), await call())
  const grownMb = (process.resourceUsage().maxRSS - before) / 1024
  process.stdout.write(JSON.stringify({ ms, firstMs, grownMb }))
  await sandbox.close()
}

if (import.meta.main) await main(process.argv.slice(2))
