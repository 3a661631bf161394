/** Sends a file of the workspace into the session's own chat; the same for every platform. */
import { createHash } from 'node:crypto'
import { mkdir, open, rename, unlink } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import {
  type AnyTool,
  defineTool,
  type ToolContext,
  type ToolResult,
  toolError,
} from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { type OpenFile, openForReading } from '../workspace-path.ts'
import { fileKind, isSecretName, shownName } from './file-name.ts'
import { createSecretSearch, type SecretSearch } from './file-secrets.ts'

export interface SendFileOptions {
  readonly name: string
  readonly platform: string
  /** Name of the platform as the model knows it. */
  readonly chat: string
  /** The platform refuses smaller files, bytes. */
  readonly leastBytes: number
}

const CHUNK = 256 * 1024

export function createSendFile(options: SendFileOptions): AnyTool {
  return defineTool({
    name: options.name,
    description:
      `Sends a file of the workspace into this ${options.chat} chat, pictures shown inline, every type allowed. ` +
      'It always goes to the chat you are talking in. Say in your answer what you sent.',
    input: z.strictObject({
      path: z
        .string()
        .min(1)
        .describe('File relative to the workspace.')
        .meta({ examples: ['report.xlsx'] }),
    }),
    readOnly: false,
    risk: 'send',
    platforms: [options.platform],
    title: (args, text) => text('tools.send_file.title', { name: shownName(basename(args.path)) }),
    async bind(args, ctx) {
      const file = await openSendable(args.path, ctx, options)
      const search = createSecretSearch()
      try {
        const digest = await copy(file, ctx.limits.fileBytes, undefined, search)
        const keys = search.found.length > 0 ? { keys: search.found } : {}
        const unseen = search.isCutShort ? { unseen: true as const } : {}
        const files = { [file.path]: digest }
        return { tool: options.name, args, paths: [file.path], files, ...keys, ...unseen }
      } finally {
        search.close()
        await file.handle.close()
      }
    },
    run: (args, ctx, _signal, bound) =>
      asResult(async () => {
        const file = await openSendable(args.path, ctx, options)
        try {
          return await send(file, ctx, bound.files?.[file.path])
        } finally {
          await file.handle.close()
        }
      }),
  })
}

/** Opens a file that may leave the house (X1, X5). Every refusal says what to do instead. */
async function openSendable(name: string, ctx: ToolContext, options: SendFileOptions): Promise<OpenFile> {
  if (name.startsWith('output:')) {
    throw new AppError('tool.refused', 'An "output:" name cannot be sent.', {
      hint: 'Write what people need into a file.',
    })
  }
  const file = await openForReading(ctx, name)
  try {
    const way = relative(ctx.workspace, file.path)
    if (isSecretName(way) || isSecretName(name)) {
      throw new AppError(
        'tool.refused',
        `"${name}" is a hidden file or looks like a key; such files are not sent.`,
        {
          hint: 'Tell the person where it lies. If its content may be shared, copy it to a file with another name.',
        },
      )
    }
    if (file.size < options.leastBytes) {
      throw new AppError(
        'tool.limit',
        `"${name}" has ${file.size} bytes; ${options.chat} takes ${options.leastBytes} or more.`,
        {
          hint: 'Write its content into your answer instead.',
        },
      )
    }
    if (file.size > ctx.limits.fileBytes) throw tooLarge(name, file.size, ctx.limits.fileBytes)
    return file
  } catch (error) {
    await file.handle.close()
    throw error
  }
}

function tooLarge(name: string, size: number, most: number): AppError {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
  return new AppError(
    'tool.limit',
    `"${name}" has ${megabytes(size)} MB; this chat takes ${megabytes(most)} MB.`,
    {
      hint: 'Compress it (zip, a smaller picture), split it (split -b), or send only the part that matters.',
    },
  )
}

async function send(file: OpenFile, ctx: ToolContext, expected: string | undefined): Promise<ToolResult> {
  const name = shownName(basename(file.path))
  const path = await snapshot(file, ctx, expected)
  const wanted = fileKind(name)
  // A picture over the picture limit still goes as a file.
  const kind = wanted === 'image' && file.size > ctx.limits.imageBytes ? 'file' : wanted
  const outcome = await ctx.sendFile({ path, name, kind })
  if (outcome.ok)
    return { ok: true, text: `Sent "${name}" (${file.size} bytes) to this chat.`, data: outcome }
  const { type, message, hint } = outcome.error
  if (!outcome.maybeSent) return { ok: false, error: outcome.error }
  return toolError(
    type,
    `"${name}" may have been sent: ${message}`,
    `Do not send it again by yourself; ask whether it has arrived. ${hint}`.trim(),
  )
}

/** Copies the bytes out of the workspace, so that what was approved is what is sent (X2). */
async function snapshot(file: OpenFile, ctx: ToolContext, expected: string | undefined): Promise<string> {
  const folder = join(ctx.privateDir, 'snapshots')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, createHash('sha256').update(ctx.callId).digest('hex').slice(0, 16))
  const digest = await copy(file, ctx.limits.fileBytes, `${path}.new`)
  if (expected !== undefined && digest !== expected) {
    await unlink(`${path}.new`)
    throw new AppError('tool.refused', 'The file has changed since this call was made.', {
      hint: 'Look at the file again and send it anew.',
    })
  }
  await rename(`${path}.new`, path)
  return path
}

/** Reads the whole file once, at most `most` bytes, into `to` and `search` if given; resolves to its SHA-256. */
async function copy(file: OpenFile, most: number, to?: string, search?: SecretSearch): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(CHUNK)
  const target = to === undefined ? undefined : await open(to, 'w', 0o600)
  try {
    for (let at = 0; ; ) {
      const { bytesRead } = await file.handle.read(buffer, 0, CHUNK, at)
      if (bytesRead === 0) return hash.digest('hex')
      at += bytesRead
      if (at > most) throw tooLarge(basename(file.path), at, most)
      const piece = buffer.subarray(0, bytesRead)
      hash.update(piece)
      await search?.take(piece)
      await target?.write(buffer, 0, bytesRead)
    }
  } finally {
    await target?.close()
  }
}
