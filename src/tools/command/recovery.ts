/** Finds out after a crash how a command ended whose result was never written (R5). */
import { open, stat } from 'node:fs/promises'
import type { ToolContext, ToolResult } from '../../protocol/tool.ts'
import { createOutputWindow, readExitStatus } from '../../sandbox/index.ts'
import { outputFile } from '../model-copy.ts'
import { commandResult } from './result-text.ts'
import { statusPathOf } from './shell.ts'

const EDGE = 12_000

/** The result of a call's command from the runner's own record; undefined when nothing is known. */
export async function recoverShellResult(
  where: Pick<ToolContext, 'privateDir' | 'callId'>,
): Promise<ToolResult | undefined> {
  const status = await readExitStatus(statusPathOf(where))
  if (!status) return undefined
  const log = outputFile(where.privateDir, where.callId, 'log')
  const { text } = await edges(log.path)
  const omittedBytes = Math.max(0, status.totalBytes - 2 * EDGE)
  return commandResult({ ...status, output: text, omittedBytes, wantedInput: false }, log.name)
}

async function edges(path: string): Promise<{ text: string }> {
  const window = createOutputWindow(2 * EDGE)
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size === 0) return window.read()
  const file = await open(path)
  try {
    const part = Buffer.alloc(64 * 1024)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(part, 0, part.length, at)
      if (bytesRead === 0) break
      window.add(part.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await file.close()
  }
  return window.read()
}
