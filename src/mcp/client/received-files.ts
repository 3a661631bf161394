/**
 * Pictures, sounds and files in a server's answer, kept in the session's workspace: the model sees a
 * picture, but only a file can be sent into the chat or worked on with other tools.
 */
import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isAppError } from '../../protocol/errors.ts'
import type { ToolContext, ToolResult } from '../../protocol/tool.ts'
import { writeAtomically, writeTarget } from '../../tools/files/atomic-write.ts'
import { cleanLine } from './clean-text.ts'

export interface ReceivedFile {
  /** Ending without its dot. */
  readonly ending: string
  readonly mime: string
  readonly bytes: Buffer
}

const MOST_FILES = 8
const MOST_BYTES = 10 * 1_048_576
const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'text/csv': 'csv',
}

/** What an answer holds beside text, as far as it is base64 and not too much (M5). */
export function receivedFiles(answer: CallToolResult): readonly ReceivedFile[] {
  const files: ReceivedFile[] = []
  let bytes = 0
  for (const item of answer.content) {
    const found = dataOf(item)
    if (!found || files.length >= MOST_FILES) continue
    const data = Buffer.from(found.base64, 'base64')
    bytes += data.length
    if (bytes > MOST_BYTES) break
    files.push({ ending: endingOf(found), mime: cleanLine(found.mime, 60), bytes: data })
  }
  return files
}

interface Data {
  readonly mime: string
  readonly base64: string
  readonly uri: string
}

function dataOf(item: CallToolResult['content'][number]): Data | undefined {
  const found =
    item.type === 'image' || item.type === 'audio'
      ? { mime: item.mimeType, base64: item.data, uri: '' }
      : item.type === 'resource' && 'blob' in item.resource
        ? { mime: item.resource.mimeType ?? '', base64: item.resource.blob, uri: item.resource.uri }
        : undefined
  return found && /^[A-Za-z0-9+/]+={0,2}$/.test(found.base64) ? found : undefined
}

/** By the type, else by the end of the address; a server cannot choose more of the name than that. */
function endingOf({ mime, uri }: Data): string {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  return ENDINGS[type] ?? /\.([A-Za-z0-9]{1,8})$/.exec(uri)?.[1]?.toLowerCase() ?? 'bin'
}

/** Writes the files and says where; a workspace that takes none costs the call nothing but these words. */
export async function withKeptFiles(
  result: ToolResult,
  files: readonly ReceivedFile[],
  tool: string,
  ctx: Pick<ToolContext, 'workspace' | 'callId'>,
): Promise<ToolResult> {
  if (!result.ok || files.length === 0) return result
  const call = createHash('sha256').update(ctx.callId).digest('hex').slice(0, 6)
  const lines: string[] = []
  for (const [index, file] of files.entries()) {
    const path = `mcp/${tool}-${call}-${index + 1}.${file.ending}`
    try {
      await writeAtomically(ctx.workspace, await writeTarget(ctx.workspace, path), file.bytes)
      lines.push(`${path} (${file.mime || 'unknown type'}, ${file.bytes.length} bytes)`)
    } catch (error) {
      if (!isAppError(error)) throw error
      lines.push(`${path} could not be kept: ${error.message}`)
    }
  }
  const text = `${result.text}\n\nKept in the workspace, to be read or sent from there:\n${lines.join('\n')}`
  return { ...result, text }
}
