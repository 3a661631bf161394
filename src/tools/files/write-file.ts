import { relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import type { Territory } from '../workspace-path.ts'
import { writeAtomically, writeTarget } from './atomic-write.ts'
import { encodeWhole, encodingName, UTF8 } from './encoding.ts'
import { ABSENT, EDITABLE_BYTES, readWholeFile, stateOf } from './text-file.ts'

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a whole text file of the workspace, making its folders; an existing file is replaced, its mode and encoding kept. ' +
    'To change a part of a file, use edit_file, which costs less and cannot lose the rest.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .describe('File relative to the workspace.')
      .meta({ examples: ['docs/notes.md'] }),
    content: z
      .string()
      .describe('The complete new text, at most 10 MB. Nothing of the old text stays.')
      .meta({ examples: ['# Notes\n'] }),
  }),
  readOnly: false,
  risk: 'write',
  title: (args, text) => text('tools.write_file.title', { path: args.path }),
  async bind(args, ctx) {
    const target = await writeTarget(ctx.workspace, args.path)
    const state = target.exists ? await stateOf(ctx, args.path) : { digest: ABSENT }
    return { tool: 'write_file', args, paths: [target.path], files: { [target.path]: state.digest } }
  },
  run: (args, ctx, _signal, bound) =>
    asResult(async () => {
      const target = await writeTarget(ctx.workspace, args.path)
      await refuseStale(ctx, args.path, target, bound.files)
      const { encoding, bytes } = await encodeLike(ctx, args.path, target.exists, args.content)
      await writeAtomically(ctx.workspace, target, bytes)
      const lines = args.content === '' ? 0 : args.content.replace(/\n$/, '').split('\n').length
      const name = relative(ctx.workspace, target.path)
      const verb = target.exists ? 'Replaced' : 'Wrote'
      return {
        ok: true,
        text: `${verb} ${name}: ${bytes.length} bytes, ${lines} lines, ${encodingName(encoding)}.`,
      }
    }),
})

/** Refuses when the file is not the one that was shown and approved (F11). */
async function refuseStale(
  territory: Territory,
  name: string,
  target: { path: string; exists: boolean },
  files: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const expected = files?.[target.path]
  const now = target.exists ? (await stateOf(territory, name)).digest : ABSENT
  if (expected === undefined || expected === now) return
  throw new AppError('tool.refused', `"${name}" has changed since this call was made.`, {
    hint: 'Read the file again and write it anew.',
  })
}

async function encodeLike(
  territory: Territory,
  name: string,
  exists: boolean,
  content: string,
): Promise<{ encoding: typeof UTF8; bytes: Buffer }> {
  if (Buffer.byteLength(content) > EDITABLE_BYTES) {
    throw new AppError('tool.limit', `The content has more than ${EDITABLE_BYTES >> 20} MB.`, {
      hint: 'Write it in parts, or produce it with a command.',
    })
  }
  // A binary or oversized old file is simply replaced: it has no encoding to keep.
  const old = exists ? await readWholeFile(territory, name).catch(() => undefined) : undefined
  const encoding = old?.text === undefined ? UTF8 : (old.encoding ?? UTF8)
  const body = encoding.bom > 0 ? content.replace(/^\ufeff/, '') : content
  // Characters the old encoding cannot hold: better a UTF-8 file than a damaged one.
  const bytes = encodeWhole(body, encoding)
  return bytes ? { encoding, bytes } : { encoding: UTF8, bytes: Buffer.from(content) }
}
